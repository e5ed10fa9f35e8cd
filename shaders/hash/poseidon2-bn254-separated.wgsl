// Poseidon2 node hashes that carry a separator in front of their two children: the sponge over three elements.
// #without top
// #import lib/poseidon2-bn254-rows
// #import lib/bn254-element

@group(1) @binding(2) var<storage, read> p2_separator: Digest;

// The number of elements, times 2^64, as the 32 bytes of an element.
const p2_THREE = Digest(vec4<u32>(), vec4<u32>(0u, 0x03000000u, 0u, 0u));

fn node_compress(left: Digest, right: Digest) -> Digest {
  return p2_hash(p2_State(
    fr_from_digest(p2_separator), fr_from_digest(left), fr_from_digest(right), fr_from_digest(p2_THREE),
  ));
}
