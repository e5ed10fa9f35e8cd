// The registry's `sha256`.
// #import lib/sha256
// #import lib/sha256-messages

fn node_compress(left: Digest, right: Digest) -> Digest {
  return sha256_digest(sha256_pair(left, right));
}

fn msg_finish(state: msg_State) -> Digest {
  return sha256_digest(state);
}
