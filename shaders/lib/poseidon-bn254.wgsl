// circomlib's Poseidon of two elements: width 3 over BN254, in the schedule of `src/hash/poseidon-bn254-schedule.ts`.
//
// Elements are in plain form throughout: an S-box of Montgomery products gives x^5 / R^4, and the constants that follow
// it have R^4 in them. Each body of field arithmetic stands once, but for the three rows of a column.
// #import field/bn254-constants

struct poseidon_State {
  a: fr_Element,
  b: fr_Element,
  c: fr_Element,
}

struct poseidon_Row {
  v: array<u32, fr_LIMBS>,
}

// What is added: before the first round, by the nine dense layers (three rows each), then by the 56 sparse ones.
@group(1) @binding(1) var<storage, read> poseidon_rows: array<poseidon_Row, 86>;

// Matrices, column by column: full rounds; the way into the form of the partial rounds; the way out of it; that form,
// whose second column has no first row.
const fr_CONSTANTS = 32u;
const poseidon_INTO = 9u;
const poseidon_OUT = 18u;
const poseidon_SPARSE = 27u;

const poseidon_ROUNDS = 65u;
const poseidon_FIRST_PARTIAL = 4u;
const poseidon_LAST_PARTIAL = 60u;

fn poseidon_sbox(x: fr_Element) -> fr_Element {
  var y = x;
  for (var i = 0u; i < 2u; i += 1u) {
    y = fr_square(y);
  }
  return fr_mul(y, x);
}

fn poseidon_add_row(x: fr_Element, row: u32) -> fr_Element {
  var sum = x;
  for (var k = 0u; k < fr_LIMBS; k += 1u) {
    sum[k] += poseidon_rows[row].v[k];
  }
  return sum;
}

// The layer behind the S-boxes of a round.
fn poseidon_layer(before: poseidon_State, round: u32) -> poseidon_State {
  var s = before;
  let sparse = (round >= poseidon_FIRST_PARTIAL) && (round < poseidon_LAST_PARTIAL);
  var sums = poseidon_State(fr_low(s.b), fr_low(s.c), fr_Element());
  var matrix = poseidon_SPARSE;
  if (sparse) {
    sums.a = poseidon_add_row(sums.a, round + 26u);
  } else {
    let row = 3u * select(round - 55u, round + 1u, round < poseidon_FIRST_PARTIAL);
    sums.a = poseidon_add_row(fr_Element(), row);
    sums.b = poseidon_add_row(fr_Element(), row + 1u);
    sums.c = poseidon_add_row(fr_Element(), row + 2u);
    matrix = select(0u, poseidon_INTO, round + 1u == poseidon_FIRST_PARTIAL);
    matrix = select(matrix, poseidon_OUT, round == poseidon_LAST_PARTIAL);
  }
  for (var column = 0u; column < select(3u, 2u, sparse); column += 1u) {
    if (!sparse || (column == 0u)) {
      sums.a = fr_low(fr_mul_constant(s.a, matrix, sums.a));
    }
    sums.b = fr_low(fr_mul_constant(s.a, matrix + 1u, sums.b));
    sums.c = fr_low(fr_mul_constant(s.a, matrix + 2u, sums.c));
    matrix += select(3u, 2u, sparse);
    s.a = s.b;
    s.b = s.c;
  }
  return sums;
}

// The first element behind the permutation of (0, left, right).
fn poseidon_hash(left: Digest, right: Digest) -> Digest {
  var s = poseidon_State(
    poseidon_add_row(fr_Element(), 0u),
    fr_carry(poseidon_add_row(fr_from_digest(left), 1u)),
    fr_carry(poseidon_add_row(fr_from_digest(right), 2u)),
  );
  for (var round = 0u; round < poseidon_ROUNDS; round += 1u) {
    let partial = (round >= poseidon_FIRST_PARTIAL) && (round <= poseidon_LAST_PARTIAL);
    for (var box = 0u; box < 3u; box += 1u) {
      s.a = poseidon_sbox(s.a);
      if (partial) {
        break;
      }
      let x = s.a;
      s.a = s.b;
      s.b = s.c;
      s.c = x;
    }
    s = poseidon_layer(s, round);
  }
  return fr_to_digest(fr_canonical(fr_carry(fr_fold(s.a))));
}
