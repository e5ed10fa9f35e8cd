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

fn poseidon_apply(state: array<fr_Element, poseidon_MOST>, layer: poseidon_Layer) -> array<fr_Element, poseidon_MOST> {
  var before = state;
  var behind = state;
  let columns = select(layer.width, 2u, layer.sparse);
  for (var i = 0u; i < layer.width; i += 1u) {
    var sum = fr_Element();
    if (!layer.sparse || (i == 0u)) {
      sum = poseidon_wide[layer.constants + i].v;
    }
    // A sparse layer moves all elements but the first up by one place.
    if (layer.sparse && (i + 1u < layer.width)) {
      sum = fr_add(sum, before[i + 1u]);
    }
    for (var j = 0u; j < columns; j += 1u) {
      sum = fr_add(sum, fr_mul(before[j], poseidon_wide[layer.matrix + (i * columns) + j].v));
    }
    behind[i] = sum;
  }
  return behind;
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
  var s: array<fr_Element, poseidon_MOST>;
  s[0] = poseidon_wide[1].v;
  for (var i = 1u; i < width; i += 1u) {
    let at = 8u * (i - 1u);
    let element = fr_from_digest(Digest(
      vec4<u32>(words[at], words[at + 1u], words[at + 2u], words[at + 3u]),
      vec4<u32>(words[at + 4u], words[at + 5u], words[at + 6u], words[at + 7u]),
    ));
    s[i] = fr_add(fr_mul(element, poseidon_wide[0].v), poseidon_wide[1u + i].v);
  }
  // All that is in the table but constants of sparse layers follows from the width.
  let partials = arrayLength(&poseidon_wide) - (width * (12u + (3u * width)));
  for (var round = 0u; round < 8u + partials; round += 1u) {
    let full = (round < 4u) || (round >= 4u + partials);
    for (var i = 0u; i < select(1u, width, full); i += 1u) {
      let square = fr_square(s[i]);
      s[i] = fr_mul(fr_square(square), s[i]);
    }
    s = poseidon_apply(s, poseidon_layer_behind(round, width, partials));
  }
  var one = fr_Element();
  one[0] = 1u;
  return fr_to_digest(fr_canonical(fr_mul(s[0], one)));
}

fn row_finish(s: row_State) -> Digest {
  return s;
}
