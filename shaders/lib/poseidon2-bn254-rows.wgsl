// What `kernel/rows` asks of the Poseidon2 sponge over BN254.
// #import lib/poseidon2-bn254

alias row_State = p2_State;

// Words of a block, and of one of its elements.
const row_WORDS = 24u;
const row_ELEMENT_WORDS = 8u;

// The element 1.
const row_ONE = array<u32, row_ELEMENT_WORDS>(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0x01000000u);

// The number of elements, times 2^64, in the capacity.
fn row_init(elements: u32) -> row_State {
  let capacity = Digest(vec4<u32>(), vec4<u32>(0u, bytes_swap(elements), 0u, 0u));
  return p2_State(fr_Element(), fr_Element(), fr_Element(), fr_from_digest(capacity));
}

fn row_add(x: fr_Element, low: vec4<u32>, high: vec4<u32>) -> fr_Element {
  return fr_add(x, fr_from_digest(Digest(low, high)));
}

// Elements that a row lacks in its last block are zeros.
fn row_absorb(s: row_State, w: array<u32, row_WORDS>, elements: u32) -> row_State {
  return p2_permute(p2_State(
    row_add(s.a, vec4<u32>(w[0], w[1], w[2], w[3]), vec4<u32>(w[4], w[5], w[6], w[7])),
    row_add(s.b, vec4<u32>(w[8], w[9], w[10], w[11]), vec4<u32>(w[12], w[13], w[14], w[15])),
    row_add(s.c, vec4<u32>(w[16], w[17], w[18], w[19]), vec4<u32>(w[20], w[21], w[22], w[23])),
    s.d,
  ));
}

fn row_finish(s: row_State) -> Digest {
  return fr_to_digest(fr_canonical(s.a));
}
