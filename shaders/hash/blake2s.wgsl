// The registry's `blake2s`.
// #import lib/digest
// #import lib/digest-words
// #import lib/blake2s-rounds

fn node_compress(left: Digest, right: Digest) -> Digest {
  return blake2s_compress(blake2s_init(), digest_words(left, right), 64u, true);
}

alias msg_State = Digest;

struct msg_Memory {
  state: msg_State,
}

const msg_WORDS = 16u;

// Nothing follows the message but zeros.
const msg_PAD = 0u;

// An empty message takes one block.
fn msg_blocks(length: u32) -> u32 {
  return max(1u, length / 64u + select(0u, 1u, length % 64u > 0u));
}

fn msg_init() -> msg_State {
  return blake2s_init();
}

fn msg_block(state: msg_State, block: array<u32, msg_WORDS>, index: u32, length: u32, place: u32) -> msg_State {
  let last = index + 1u == msg_blocks(length);
  return blake2s_compress(state, block, select(64u * (index + 1u), length, last), last);
}

fn msg_finish(state: msg_State) -> Digest {
  return state;
}
