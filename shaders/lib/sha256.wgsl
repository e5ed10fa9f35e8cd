// SHA-256 (FIPS 180-4), sixteen rounds at a time.
// #import lib/bytes
// #import lib/digest
// #import lib/sha256-rounds

struct sha256_State {
  a: u32, b: u32, c: u32, d: u32, e: u32, f: u32, g: u32, h: u32,
}

fn sha256_rotate(x: u32, n: u32) -> u32 {
  return (x >> n) | (x << (32u - n));
}

fn sha256_sigma0(x: u32) -> u32 {
  return sha256_rotate(x, 7u) ^ sha256_rotate(x, 18u) ^ (x >> 3u);
}

fn sha256_sigma1(x: u32) -> u32 {
  return sha256_rotate(x, 17u) ^ sha256_rotate(x, 19u) ^ (x >> 10u);
}

// One round; kw is the round constant plus the schedule word. Choice and majority are written with the fewest
// operations: b ^ c of one round is a ^ b of the round before.
fn sha256_round(s: sha256_State, kw: u32) -> sha256_State {
  let sum1 = sha256_rotate(s.e, 6u) ^ sha256_rotate(s.e, 11u) ^ sha256_rotate(s.e, 25u);
  let choice = s.g ^ (s.e & (s.f ^ s.g));
  let t1 = s.h + sum1 + choice + kw;
  let sum0 = sha256_rotate(s.a, 2u) ^ sha256_rotate(s.a, 13u) ^ sha256_rotate(s.a, 22u);
  let majority = ((s.a ^ s.b) & (s.b ^ s.c)) ^ s.b;
  return sha256_State(t1 + sum0 + majority, s.a, s.b, s.c, s.d + t1, s.e, s.f, s.g);
}

fn sha256_add(x: sha256_State, y: sha256_State) -> sha256_State {
  return sha256_State(
    x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d, x.e + y.e, x.f + y.f, x.g + y.g, x.h + y.h,
  );
}

// Folds one block of big-endian words into the state.
fn sha256_compress(before: sha256_State, block: array<u32, 16>) -> sha256_State {
  var w = block;
  var s = before;
  for (var row = 0u; row < 4u; row += 1u) {
    if (row > 0u) {
      w = sha256_expand(w);
    }
    s = sha256_rounds(s, w, row);
  }
  return sha256_add(before, s);
}

// Folds the second block of a 64-byte message, whose words are in the constants.
fn sha256_compress_padding(before: sha256_State) -> sha256_State {
  var s = before;
  for (var row = 4u; row < 8u; row += 1u) {
    s = sha256_rounds(s, array<u32, 16>(), row);
  }
  return sha256_add(before, s);
}

// The digest of 64 bytes.
fn sha256_pair(left: Digest, right: Digest) -> sha256_State {
  let block = array<u32, 16>(
    bytes_swap(left.low.x), bytes_swap(left.low.y), bytes_swap(left.low.z), bytes_swap(left.low.w),
    bytes_swap(left.high.x), bytes_swap(left.high.y), bytes_swap(left.high.z), bytes_swap(left.high.w),
    bytes_swap(right.low.x), bytes_swap(right.low.y), bytes_swap(right.low.z), bytes_swap(right.low.w),
    bytes_swap(right.high.x), bytes_swap(right.high.y), bytes_swap(right.high.z), bytes_swap(right.high.w),
  );
  return sha256_compress_padding(sha256_compress(sha256_init(), block));
}

fn sha256_digest(s: sha256_State) -> Digest {
  return Digest(
    vec4<u32>(bytes_swap(s.a), bytes_swap(s.b), bytes_swap(s.c), bytes_swap(s.d)),
    vec4<u32>(bytes_swap(s.e), bytes_swap(s.f), bytes_swap(s.g), bytes_swap(s.h)),
  );
}
