// The Poseidon2 permutation of width 4 over BN254. `src/hash/poseidon2-bn254-tables.ts` makes the tables.
//
// 65 linear layers with S-boxes between them, and a product by a constant at either end, in one loop, so that each
// body of field arithmetic stands once: code beyond the instruction cache costs more than the lanes' moves.
// #import field/bn254-constants

struct p2_State {
  a: fr_Element,
  b: fr_Element,
  c: fr_Element,
  d: fr_Element,
}

struct p2_Row {
  v: array<u32, fr_LIMBS>,
}

// Rows of constants: first those that external layers add, four each, then those of internal layers, one each.
@group(1) @binding(1) var<storage, read> p2_rows: array<p2_Row, 92>;

// Constants to multiply by: the internal diagonal, then the way to Montgomery form and back.
const fr_CONSTANTS = 6u;
const p2_TO_MONTGOMERY = 4u;
const p2_FROM_MONTGOMERY = 5u;

const p2_LAST = 66u;

// Limb k of the external matrix times the state, from limbs k.
fn p2_external_limb(x: vec4<u32>) -> vec4<u32> {
  let ab = x.x + x.y;
  let cd = x.z + x.w;
  let p = (2u * x.y) + cd;
  let q = (2u * x.w) + ab;
  let r = (4u * cd) + q;
  let s = (4u * ab) + p;
  return vec4<u32>(q + s, s, p + r, r);
}

// The external layer; adds four rows of constants and carries.
fn p2_external(s: p2_State, row: u32) -> p2_State {
  var x = s;
  for (var k = 0u; k < fr_LIMBS; k += 1u) {
    let y = p2_external_limb(vec4<u32>(x.a[k], x.b[k], x.c[k], x.d[k]) & vec4<u32>(fr_MASK));
    x.a[k] = y.x + p2_rows[row].v[k];
    x.b[k] = y.y + p2_rows[row + 1u].v[k];
    x.c[k] = y.z + p2_rows[row + 2u].v[k];
    x.d[k] = y.w + p2_rows[row + 3u].v[k];
  }
  return p2_State(fr_carry(x.a), fr_carry(x.b), fr_carry(x.c), fr_carry(x.d));
}

// The sum of all lanes and of a row of constants, reduced but not carried: it becomes an addend of four products.
fn p2_lane_sum(s: p2_State, row: u32) -> fr_Element {
  var x = s;
  for (var k = 0u; k < fr_LIMBS; k += 1u) {
    let y = vec4<u32>(x.a[k], x.b[k], x.c[k], x.d[k]) & vec4<u32>(fr_MASK);
    x.a[k] = y.x + y.y + y.z + y.w + p2_rows[row].v[k];
  }
  return fr_fold(x.a);
}

fn p2_sbox(x: fr_Element) -> fr_Element {
  var y = x;
  for (var i = 0u; i < 2u; i += 1u) {
    y = fr_square(y);
  }
  return fr_mul(y, x);
}

// Elements of any value below R in, elements below 1.01 p out.
fn p2_permute(before: p2_State) -> p2_State {
  var s = before;
  for (var turn = 0u; turn <= p2_LAST; turn += 1u) {
    let ends = (turn == 0u) || (turn == p2_LAST);
    let mixing = !ends && ((turn <= 5u) || (turn >= 62u));
    if (mixing) {
      s = p2_external(s, 4u * select(turn - 1u, turn - 57u, turn >= 62u));
    } else {
      var sum = fr_Element();
      var constant = 0u;
      if (ends) {
        constant = select(p2_FROM_MONTGOMERY, p2_TO_MONTGOMERY, turn == 0u);
      } else {
        sum = p2_lane_sum(s, turn + 30u);
      }
      for (var lane = 0u; lane < 2u; lane += 1u) {
        let x = fr_mul_constant(s.a, constant, sum);
        let y = fr_mul_constant(s.b, constant + select(1u, 0u, ends), sum);
        s.a = s.c;
        s.b = s.d;
        s.c = x;
        s.d = y;
        constant += select(2u, 0u, ends);
      }
    }
    if (ends || (turn == 65u)) {
      continue;
    }
    let boxes = select(1u, 4u, (turn <= 4u) || (turn >= 61u));
    for (var box = 0u; box < boxes; box += 1u) {
      s.a = p2_sbox(s.a);
      if (boxes == 1u) {
        break;
      }
      let x = s.a;
      s.a = s.b;
      s.b = s.c;
      s.c = s.d;
      s.d = x;
    }
  }
  return s;
}

// The first element behind the permutation.
fn p2_hash(s: p2_State) -> Digest {
  return fr_to_digest(fr_canonical(p2_permute(s).a));
}
