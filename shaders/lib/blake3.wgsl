// BLAKE3: pairs, and what `kernel/messages` asks for.
// #import lib/digest
// #import lib/digest-words
// #import lib/message-memory
// #import lib/blake3-rounds

fn blake3_parent(left: Digest, right: Digest, flags: u32) -> Digest {
  return blake3_compress(blake3_init(), digest_words(left, right), 0u, 64u, blake3_PARENT | flags);
}

// The chaining value.
alias msg_State = Digest;

// The chaining values of full subtrees to the left wait here: one for each bit of the number of chunks so far.
struct msg_Memory {
  state: msg_State,
  subtrees: array<Digest, 22>,
}

const msg_WORDS = 16u;

// Nothing follows the message but zeros.
const msg_PAD = 0u;

// An empty message takes one block.
fn msg_blocks(length: u32) -> u32 {
  return max(1u, length / 64u + select(0u, 1u, length % 64u > 0u));
}

fn msg_init() -> msg_State {
  return blake3_init();
}

// Joins chunk number `chunk` of a message with the full subtrees to its left: the last one with all of them, which makes
// the root, another with those that it completes a larger full one with, which is kept.
fn blake3_join(place: u32, node: Digest, chunk: u32, last: bool) -> Digest {
  var joined = node;
  var depth = countOneBits(chunk);
  let kept = select(countOneBits(chunk + 1u) - 1u, 0u, last);
  while (depth > kept) {
    depth -= 1u;
    let root = select(0u, blake3_ROOT, last && depth == 0u);
    joined = blake3_parent(msg_memory[place].subtrees[depth], joined, root);
  }
  if (!last) {
    msg_memory[place].subtrees[depth] = joined;
  }
  return joined;
}

fn msg_block(state: msg_State, block: array<u32, msg_WORDS>, index: u32, length: u32, place: u32) -> msg_State {
  let chunk = index / 16u;
  let starts = index % 16u == 0u;
  let last = index + 1u == msg_blocks(length);
  let ends = last || index % 16u == 15u;
  var flags = select(0u, blake3_CHUNK_START, starts) | select(0u, blake3_CHUNK_END, ends);
  flags |= select(0u, blake3_ROOT, last && chunk == 0u);
  var chaining = state;
  if (starts) {
    chaining = blake3_init();
  }
  let size = select(64u, length - 64u * index, last);
  let node = blake3_compress(chaining, block, chunk, size, flags);
  if (ends) {
    return blake3_join(place, node, chunk, last);
  }
  return node;
}
