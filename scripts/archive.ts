/** Unpacks the brotli-packed tar archives of `@sparticuz/chromium`; a minimal system has no `tar`. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

const BLOCK = 512;
const REGULAR = new Set(['0', '\0']);

/** Regular files of a tar archive, in order. */
function* tarFiles(tar: Buffer): Generator<{ name: string; mode: number; content: Buffer }> {
  const field = (at: number, length: number): string =>
    tar.toString('latin1', at, at + length).split('\0')[0]!;
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const name = field(at, 100);
    if (!name) return;
    const size = Number.parseInt(field(at + 124, 12), 8);
    if (REGULAR.has(String.fromCharCode(tar[at + 156]!))) {
      const mode = Number.parseInt(field(at + 100, 8), 8);
      yield { name, mode, content: tar.subarray(at + BLOCK, at + BLOCK + size) };
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

/**
 * Unpacks `archive` (`.tar.br`) into `folder` once; later calls find the folder and do nothing.
 *
 * @throws {Error} when an entry would land outside of the folder.
 */
export function unpackOnce(archive: string, folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true });
  // Filled beside and moved as a whole, so that two processes never see half a folder.
  const draft = mkdtempSync(`${folder}-`);
  for (const { name, mode, content } of tarFiles(brotliDecompressSync(readFileSync(archive)))) {
    const path = resolve(draft, name);
    if (!path.startsWith(draft + sep)) throw new Error(`${archive}: ${name} leaves the folder`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: mode & 0o777 });
  }
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}
