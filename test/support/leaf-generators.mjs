/** Leaves out of nothing: leaf i holds i in its first bytes. */
const PIECE = 2 ** 20;

export function* counting(from, to) {
  for (let at = from; at < to; at += PIECE) {
    const piece = new Uint8Array(Math.min(PIECE, to - at));
    const words = new Uint32Array(piece.buffer);
    for (let i = 0; i < words.length; i += 8) words[i] = at / 32 + i / 8;
    yield piece;
  }
}

export async function* slow(from, to) {
  for (const piece of counting(from, to)) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    yield piece;
  }
}
