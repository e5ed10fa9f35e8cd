/** Unpacks the archives of `@sparticuz/chromium` and of `npm pack`; a minimal system has no `tar`. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

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
 * Fills `folder` once; later calls find it and do nothing.
 *
 * It is filled beside its place and moved as a whole, so that two processes never see half a folder.
 */
export function makeOnce(folder: string, fill: (draft: string) => void): void {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  try {
    fill(draft);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Unpacks `archive` (`.tar.br`, `.tgz`) into `folder`.
 *
 * @throws {Error} when an entry would land outside of the folder.
 */
export function unpack(archive: string, folder: string): void {
  const packed = readFileSync(archive);
  const tar = archive.endsWith('.br') ? brotliDecompressSync(packed) : gunzipSync(packed);
  for (const { name, mode, content } of tarFiles(tar)) {
    const path = resolve(folder, name);
    if (!path.startsWith(folder + sep)) throw new Error(`${archive}: ${name} leaves the folder`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: mode & 0o777 });
  }
}
