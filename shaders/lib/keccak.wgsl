// The Keccak sponge of rate 136. The hash says what follows a message: `msg_PAD`.
// #import lib/digest
// #import lib/digest-words
// #import lib/keccak-rounds

alias msg_State = keccak_State;

struct msg_Memory {
  state: msg_State,
}

// 32-bit words of a block.
const msg_WORDS = 34u;

// A block at the end of a message always has room for a byte of padding.
fn msg_blocks(length: u32) -> u32 {
  return length / 136u + 1u;
}

fn msg_init() -> msg_State {
  return msg_State();
}

fn msg_block(state: msg_State, block: array<u32, msg_WORDS>, index: u32, length: u32, place: u32) -> msg_State {
  var s = state;
  for (var i = 0u; i < 17u; i += 1u) {
    s[i] ^= vec2<u32>(block[2u * i], block[2u * i + 1u]);
  }
  if (index + 1u == msg_blocks(length)) {
    s[16].y ^= 0x80000000u;
  }
  return keccak_permute(s);
}

fn msg_finish(state: msg_State) -> Digest {
  return Digest(vec4<u32>(state[0], state[1]), vec4<u32>(state[2], state[3]));
}

fn node_compress(left: Digest, right: Digest) -> Digest {
  let words = digest_words(left, right);
  var block = array<u32, msg_WORDS>();
  for (var i = 0u; i < 16u; i += 1u) {
    block[i] = words[i];
  }
  block[16] = msg_PAD;
  return msg_finish(msg_block(msg_init(), block, 0u, 64u, 0u));
}
