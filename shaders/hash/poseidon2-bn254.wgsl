// The registry's `poseidon2-bn254`: the sponge over two elements.
// #without top
// #import lib/poseidon2-bn254-rows
// #import lib/bn254-element

// The number of elements, times 2^64, as the 32 bytes of an element.
const p2_TWO = Digest(vec4<u32>(), vec4<u32>(0u, 0x02000000u, 0u, 0u));

fn node_compress(left: Digest, right: Digest) -> Digest {
  return p2_hash(p2_State(fr_from_digest(left), fr_from_digest(right), fr_Element(), fr_from_digest(p2_TWO)));
}
