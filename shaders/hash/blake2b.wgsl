// The registry's `blake2b`.
// #import lib/digest
// #import lib/digest-words
// #import lib/blake2b-rounds

// The digest is the first half of the state, its words low half first.
fn blake2b_digest(s: blake2b_State) -> Digest {
  let low = s.a.low;
  let high = s.a.high;
  return Digest(vec4<u32>(low.x, high.x, low.y, high.y), vec4<u32>(low.z, high.z, low.w, high.w));
}

fn node_compress(left: Digest, right: Digest) -> Digest {
  let words = digest_words(left, right);
  var block: array<u32, 32>;
  for (var i = 0u; i < 16u; i += 1u) {
    block[i] = words[i];
  }
  return blake2b_digest(blake2b_compress(blake2b_init(), block, 64u, true));
}

alias msg_State = blake2b_State;

struct msg_Memory {
  state: msg_State,
}

const msg_WORDS = 32u;

// Nothing follows the message but zeros.
const msg_PAD = 0u;

// An empty message takes one block.
fn msg_blocks(length: u32) -> u32 {
  return max(1u, length / 128u + select(0u, 1u, length % 128u > 0u));
}

fn msg_init() -> msg_State {
  return blake2b_init();
}

fn msg_block(state: msg_State, block: array<u32, msg_WORDS>, index: u32, length: u32, place: u32) -> msg_State {
  let last = index + 1u == msg_blocks(length);
  return blake2b_compress(state, block, select(128u * (index + 1u), length, last), last);
}

fn msg_finish(state: msg_State) -> Digest {
  return blake2b_digest(state);
}
