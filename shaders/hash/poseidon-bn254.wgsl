// The registry's `poseidon-bn254`.
// #import lib/poseidon-bn254

fn node_compress(left: Digest, right: Digest) -> Digest {
  return poseidon_hash(left, right);
}
