// The registry's `poseidon2-bn254`.
// #import lib/poseidon2-bn254

fn node_compress(left: Digest, right: Digest) -> Digest {
  var iv: fr_Element;
  iv[4] = 4096u;
  let s = p2_permute(p2_State(fr_from_digest(left), fr_from_digest(right), fr_Element(), iv));
  return fr_to_digest(fr_canonical(s.a));
}
