// The registry's `poseidon-bn254`.
// #without top
// #import lib/poseidon-bn254
// #import lib/poseidon-bn254-rows
// #import lib/bn254-element

fn node_compress(left: Digest, right: Digest) -> Digest {
  return poseidon_hash(left, right);
}
