/** Entries of sparse trees in files: JSON lines or CSV. */
import type { SparseLayout } from '../tree/sparse/layout.js';
import type { SparseOp } from '../tree/sparse.js';
import { InputError } from './exit.js';
import type { Input } from './input.js';
import { parseBytes } from './sparse-store.js';

/** Longer lines are no entries. */
const MOST_LINE_CHARACTERS = 2 ** 24;

/** How a file is written. */
export type EntriesFormat = 'jsonl' | 'csv';

/** The format that a file's name tells, JSON lines by default. */
export function formatOf(file: string): EntriesFormat {
  return /\.csv$/i.test(file) ? 'csv' : 'jsonl';
}

/**
 * Changes out of lines: `{"key": …, "leaf": …}` or `{"key": …, "delete": true}`, or `key,leaf` where an empty leaf
 * removes. Empty lines and a first CSV line `key,leaf` are skipped.
 *
 * @throws {InputError} that names file and line.
 */
export async function* readOps(
  input: Input,
  format: EntriesFormat,
  layout: SparseLayout,
): AsyncGenerator<SparseOp> {
  let number = 0;
  for await (const line of lines(input)) {
    number++;
    if (line.trim() === '') continue;
    if (format === 'csv' && number === 1 && /^key,leaf$/i.test(line.trim())) continue;
    const where = `${input.name}:${number}`;
    yield format === 'csv' ? csvOp(line, layout, where) : jsonOp(line, layout, where);
  }
}

function csvOp(line: string, layout: SparseLayout, where: string): SparseOp {
  const comma = line.indexOf(',');
  if (comma < 0) throw new InputError(`${where}: expected key,leaf`);
  const key = parseBytes(unquote(line.slice(0, comma).trim()), layout, `${where}: key`);
  const leaf = line.slice(comma + 1).trim();
  return leaf === '' ? { del: key } : { put: key, leaf: parseBytes(unquote(leaf), layout, `${where}: leaf`) };
}

function unquote(field: string): string {
  return /^".*"$/.test(field) ? field.slice(1, -1).replaceAll('""', '"') : field;
}

function jsonOp(line: string, layout: SparseLayout, where: string): SparseOp {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    throw new InputError(`${where}: no JSON`);
  }
  const { key, leaf, delete: removes } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof key !== 'string') throw new InputError(`${where}: expected {"key": "…", "leaf": "…"}`);
  const path = parseBytes(key, layout, `${where}: key`);
  if (removes === true) return { del: path };
  if (typeof leaf !== 'string') throw new InputError(`${where}: expected a leaf, or "delete": true`);
  return { put: path, leaf: parseBytes(leaf, layout, `${where}: leaf`) };
}

async function* lines({ pieces, name }: Input): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  try {
    for await (const piece of pieces) {
      const parts = (rest + decoder.decode(piece, { stream: true })).split('\n');
      rest = parts.pop()!;
      if (rest.length > MOST_LINE_CHARACTERS) throw new InputError(`${name}: a line without end`);
      yield* parts;
    }
    rest += decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new InputError(`${name}: not UTF-8`, { cause: error });
    throw error;
  }
  if (rest) yield rest;
}
