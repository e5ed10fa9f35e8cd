// What `kernel/messages` asks of SHA-256, apart from the shape of the digest.
// #import lib/sha256

alias msg_State = sha256_State;

struct msg_Memory {
  state: msg_State,
}

// 32-bit words of a block.
const msg_WORDS = 16u;

// The byte that follows the message.
const msg_PAD = 0x80u;

// Blocks of a message: its bytes, one 0x80 and eight bytes of length. Written so that nothing overflows.
fn msg_blocks(length: u32) -> u32 {
  return length / 64u + select(1u, 2u, length % 64u > 55u);
}

fn msg_init() -> msg_State {
  return sha256_init();
}

// Folds block `index` of a message of `length` bytes; its words come as they stand in memory, padded up to the length.
fn msg_block(state: msg_State, block: array<u32, msg_WORDS>, index: u32, length: u32, place: u32) -> msg_State {
  var w = block;
  for (var t = 0u; t < msg_WORDS; t += 1u) {
    w[t] = bytes_swap(w[t]);
  }
  if (index + 1u == msg_blocks(length)) {
    w[14] = length >> 29u;
    w[15] = length << 3u;
  }
  return sha256_compress(state, w);
}
