// The registry's `sha256-truncated`: one zero byte, then the first 31 bytes of SHA-256.
// #import lib/sha256
// #import lib/sha256-messages

// Big-endian words of the digest, moved right by one byte.
fn sha256_truncate(s: sha256_State) -> sha256_State {
  return sha256_State(
    s.a >> 8u,
    (s.a << 24u) | (s.b >> 8u),
    (s.b << 24u) | (s.c >> 8u),
    (s.c << 24u) | (s.d >> 8u),
    (s.d << 24u) | (s.e >> 8u),
    (s.e << 24u) | (s.f >> 8u),
    (s.f << 24u) | (s.g >> 8u),
    (s.g << 24u) | (s.h >> 8u),
  );
}

fn node_compress(left: Digest, right: Digest) -> Digest {
  return sha256_digest(sha256_truncate(sha256_pair(left, right)));
}

fn msg_finish(state: msg_State) -> Digest {
  return sha256_digest(sha256_truncate(state));
}
