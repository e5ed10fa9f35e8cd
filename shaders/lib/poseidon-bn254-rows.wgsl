// What `kernel/rows` asks of circomlib's Poseidon: a row of up to 16 elements is one block, hashed at a width of one more.
//
// The width is known when the kernel runs, so the state is an array in memory and constants are factors like any other,
// in Montgomery form. The schedule is that of `src/hash/poseidon-bn254-schedule.ts`.
// #import field/bn254

const poseidon_MOST = 17u;

struct poseidon_Factor {
  v: array<u32, fr_LIMBS>,
}

// For rows of one length: R^2 out of Montgomery form; what is added before the first round and by the nine dense layers,
// one for each element of the state; what the sparse layers add; then four matrices, row by row: of the full rounds, into
// the form of the partial ones, out of it, and of that form with two columns.
@group(1) @binding(2) var<storage, read> poseidon_wide: array<poseidon_Factor>;

// Words of a block, and of one of its elements.
const row_WORDS = 128u;
const row_ELEMENT_WORDS = 8u;

// The element 1.
const row_ONE = array<u32, row_ELEMENT_WORDS>(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0x01000000u);

alias row_State = Digest;

fn row_init(elements: u32) -> row_State {
  return Digest();
}

// A layer of a state of `width` elements, and the round constants that follow it.
struct poseidon_Layer {
  width: u32,
  constants: u32,
  matrix: u32,
  sparse: bool,
}

// Two states, of which layers read one and write the other. One flat array, larger than what drivers try to keep in
// registers, and never copied as a whole.
var<private> poseidon_states: array<u32, 2u * poseidon_MOST * fr_LIMBS>;

fn poseidon_load(i: u32) -> fr_Element {
  var x = fr_Element();
  for (var k = 0u; k < fr_LIMBS; k += 1u) {
    x[k] = poseidon_states[(i * fr_LIMBS) + k];
  }
  return x;
}

fn poseidon_store(i: u32, x: fr_Element) {
  var y = x;
  for (var k = 0u; k < fr_LIMBS; k += 1u) {
    poseidon_states[(i * fr_LIMBS) + k] = y[k];
  }
}

fn poseidon_apply(layer: poseidon_Layer, before: u32, behind: u32) {
  let columns = select(layer.width, 2u, layer.sparse);
  for (var i = 0u; i < layer.width; i += 1u) {
    var sum = fr_Element();
    if (!layer.sparse || (i == 0u)) {
      sum = poseidon_wide[layer.constants + i].v;
    }
    // A sparse layer moves all elements but the first up by one place.
    if (layer.sparse && (i + 1u < layer.width)) {
      sum = fr_add(sum, poseidon_load(before + i + 1u));
    }
    for (var j = 0u; j < columns; j += 1u) {
      let factor = poseidon_wide[layer.matrix + (i * columns) + j].v;
      sum = fr_add(sum, fr_mul(poseidon_load(before + j), factor));
    }
    poseidon_store(behind + i, sum);
  }
}

// The layer behind round `round` of so many partial ones.
fn poseidon_layer_behind(round: u32, width: u32, partials: u32) -> poseidon_Layer {
  let sparses = partials - 1u;
  let sparse = 1u + (10u * width);
  let matrices = sparse + sparses;
  let square = width * width;
  if ((round >= 4u) && (round < 4u + sparses)) {
    return poseidon_Layer(width, sparse + round - 4u, matrices + (3u * square), true);
  }
  let dense = select(round - sparses, round, round < 4u);
  let matrix = matrices + select(select(0u, 2u * square, dense == 4u), square, dense == 3u);
  return poseidon_Layer(width, 1u + ((dense + 1u) * width), matrix, false);
}

fn row_absorb(before: row_State, block: array<u32, row_WORDS>, elements: u32) -> row_State {
  var words = block;
  let width = elements + 1u;
  poseidon_store(0u, poseidon_wide[1].v);
  for (var i = 1u; i < width; i += 1u) {
    let at = 8u * (i - 1u);
    let element = fr_from_digest(Digest(
      vec4<u32>(words[at], words[at + 1u], words[at + 2u], words[at + 3u]),
      vec4<u32>(words[at + 4u], words[at + 5u], words[at + 6u], words[at + 7u]),
    ));
    poseidon_store(i, fr_add(fr_mul(element, poseidon_wide[0].v), poseidon_wide[1u + i].v));
  }
  // All that is in the table but constants of sparse layers follows from the width.
  let partials = arrayLength(&poseidon_wide) - (width * (12u + (3u * width)));
  var state = 0u;
  for (var round = 0u; round < 8u + partials; round += 1u) {
    let full = (round < 4u) || (round >= 4u + partials);
    for (var i = 0u; i < select(1u, width, full); i += 1u) {
      let x = poseidon_load(state + i);
      poseidon_store(state + i, fr_mul(fr_square(fr_square(x)), x));
    }
    let next = poseidon_MOST - state;
    poseidon_apply(poseidon_layer_behind(round, width, partials), state, next);
    state = next;
  }
  var one = fr_Element();
  one[0] = 1u;
  return fr_to_digest(fr_canonical(fr_mul(poseidon_load(state), one)));
}

fn row_finish(s: row_State) -> Digest {
  return s;
}
