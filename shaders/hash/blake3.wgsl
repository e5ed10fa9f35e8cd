// The registry's `blake3`.
// #import lib/blake3

fn node_compress(left: Digest, right: Digest) -> Digest {
  let flags = blake3_CHUNK_START | blake3_CHUNK_END | blake3_ROOT;
  return blake3_compress(blake3_init(), digest_words(left, right), 0u, 64u, flags);
}

fn msg_finish(state: msg_State) -> Digest {
  return state;
}
