/** Leaves in a file. */
import { open, realpath } from 'node:fs/promises';
import { isAbsolute, sep } from 'node:path';
import { CambiumError } from '../errors.js';
import type { SourceReader } from './source.js';

/** Bytes of one read; the next one is under way while they are hashed. */
const READ_BYTES = 4 * 2 ** 20;

/**
 * @throws {RangeError} for a path outside `allowed`. @throws {CambiumError} `SOURCE_CHANGED` where there is no such file.
 */
export async function openFile(path: string, allowed: readonly string[]): Promise<SourceReader> {
  if (typeof path !== 'string' || !isAbsolute(path)) {
    throw new RangeError(`source: expected an absolute path, got ${JSON.stringify(path)}`);
  }
  const real = await resolve(path);
  const roots = await Promise.all(allowed.map((root) => realpath(root).catch(() => undefined)));
  if (!roots.some((root) => root !== undefined && isWithin(real, root))) {
    throw new RangeError(`source: ${path} is in none of the folders that may be read here`);
  }
  const file = await open(real);
  const before = await file.stat();
  if (!before.isFile()) {
    await file.close();
    throw new RangeError(`source: ${path} is no file`);
  }
  return {
    bytes: before.size,
    async *read(from, to, signal) {
      let next = readAt(from, to);
      for (let at = from; at < to; ) {
        signal?.throwIfAborted();
        const piece = await next;
        if (!piece.length) return;
        at += piece.length;
        next = readAt(at, to);
        // It may fail while the piece is hashed, and is awaited itself in the next round.
        next.catch(() => {});
        yield piece;
      }
    },
    async unchanged() {
      const now = await file.stat();
      return now.size === before.size && now.mtimeMs === before.mtimeMs;
    },
    close: () => file.close(),
  };

  async function readAt(from: number, to: number): Promise<Uint8Array> {
    const bytes = Math.min(READ_BYTES, to - from);
    if (bytes <= 0) return new Uint8Array(0);
    const buffer = Buffer.allocUnsafe(bytes);
    const { bytesRead } = await file.read(buffer, 0, bytes, from);
    return buffer.subarray(0, bytesRead);
  }
}

async function resolve(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw new CambiumError('SOURCE_CHANGED', `${path}: ${(error as Error).message}`, { cause: error });
  }
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
