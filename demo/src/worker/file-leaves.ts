/** The leaves of a file, as digests in memory. */
import { CambiumError, type Digest, type Hasher, leafDigests, parseLeafFormat } from 'cambium';

/** Bytes that one read asks for. */
const READ_BYTES = 4 * 2 ** 20;

/** A tree with its layers takes 64 bytes a leaf: this many are 1 GiB. */
const MOST_LEAVES = 2 ** 24;

/**
 * Reads a file, and hashes its pieces where the format says so.
 *
 * @param onRead told how many bytes have been read.
 * @throws {CambiumError} `MALFORMED` for a file that does not fit its format, or is too large for a page.
 */
export async function fileLeaves(
  file: File,
  formatName: string,
  hasher: Hasher,
  signal: AbortSignal,
  onRead: (bytes: number) => void,
): Promise<Digest> {
  const format = parseLeafFormat(formatName);
  if (!format) throw new RangeError(`format: expected blocks:BYTES, lines, raw32 or hex, got ${formatName}`);
  let digests = new Uint8Array(32 * 2 ** 12);
  let filled = 0;
  for await (const piece of leafDigests(pieces(file, signal, onRead), format, hasher, signal)) {
    const needed = filled + piece.length;
    if (needed > 32 * MOST_LEAVES) {
      throw new CambiumError(
        'MALFORMED',
        `${file.name} has more than ${MOST_LEAVES} leaves, which is much for a page; \`cambium root\` takes any number`,
      );
    }
    if (needed > digests.length) {
      const larger = new Uint8Array(Math.min(32 * MOST_LEAVES, Math.max(needed, 2 * digests.length)));
      larger.set(digests.subarray(0, filled));
      digests = larger;
    }
    digests.set(piece, filled);
    filled = needed;
  }
  return digests.subarray(0, filled);
}

async function* pieces(
  file: File,
  signal: AbortSignal,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += READ_BYTES) {
    signal.throwIfAborted();
    const piece = new Uint8Array(await file.slice(at, at + READ_BYTES).arrayBuffer());
    onRead(at + piece.length);
    yield piece;
  }
}
