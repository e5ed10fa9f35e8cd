// Byte messages of any length, packed one after the other without alignment, to digests.
//
// A message longer than a dispatch should run is hashed in pieces: the dispatch of its next piece takes up the state
// that the last one left. The host lists the pieces so that neighbours have equally many blocks. Messages that are
// hashed in pieces, and those that the hash asks it for, have memory of their own.
// #needs msg_block
// #import lib/digest
// #import lib/index
// #import lib/message-memory

// Bytes of a block.
const messages_BLOCK = 4u * msg_WORDS;

struct messages_Piece {
  // First byte of the piece in the packed words.
  offset: u32,
  // Bytes of the whole message.
  length: u32,
  // Place of the digest.
  leaf: u32,
  // Place of its memory, if it has any.
  memory: u32,
}

struct messages_Params {
  // Pieces.
  count: u32,
  // Bytes of each message before its piece: whole blocks.
  start: u32,
  // Bytes of a piece that is not the last of its message: whole blocks.
  step: u32,
}

@group(0) @binding(0) var<storage, read> messages_words: array<u32>;
@group(0) @binding(1) var<storage, read_write> messages_digests: array<Digest>;
@group(0) @binding(2) var<uniform> messages_params: messages_Params;
@group(0) @binding(3) var<storage, read> messages_pieces: array<messages_Piece>;

// The block at byte `offset`, whatever follows the message included.
fn messages_load(offset: u32) -> array<u32, msg_WORDS> {
  let first = offset >> 2u;
  let shift = (offset & 3u) << 3u;
  var block: array<u32, msg_WORDS>;
  var low = messages_words[first];
  for (var k = 0u; k < msg_WORDS; k += 1u) {
    let high = messages_words[first + k + 1u];
    // Two steps, because a shift by 32 is none.
    block[k] = (low >> shift) | ((high << 1u) << (31u - shift));
    low = high;
  }
  return block;
}

// A block of which the message fills `left` bytes: then the byte of padding, if it falls into this block, and zeros.
fn messages_pad(full: array<u32, msg_WORDS>, left: i32) -> array<u32, msg_WORDS> {
  var block = full;
  for (var k = 0u; k < msg_WORDS; k += 1u) {
    let here = left - i32(4u * k);
    let bits = (u32(here) & 3u) << 3u;
    let last = (block[k] & ((1u << bits) - 1u)) | (msg_PAD << bits);
    block[k] = select(select(last, block[k], here >= 4), 0u, here < 0);
  }
  return block;
}

@compute @workgroup_size(64)
fn messages(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = index_linear(group, groups, 64u, lane);
  if (i >= messages_params.count) {
    return;
  }
  let piece = messages_pieces[i];
  let first = messages_params.start / messages_BLOCK;
  let blocks = msg_blocks(piece.length);
  let last = piece.length - messages_params.start <= messages_params.step;
  let end = select(first + messages_params.step / messages_BLOCK, blocks, last);

  var state = msg_init();
  if (first > 0u) {
    state = msg_memory[piece.memory].state;
  }
  for (var b = first; b < end; b += 1u) {
    let at = b * messages_BLOCK;
    var block = messages_load(piece.offset + (at - messages_params.start));
    if (b >= piece.length / messages_BLOCK) {
      block = messages_pad(block, i32(piece.length - at));
    }
    state = msg_block(state, block, b, piece.length, piece.memory);
  }
  if (last) {
    messages_digests[piece.leaf] = msg_finish(state);
  } else {
    msg_memory[piece.memory].state = state;
  }
}
