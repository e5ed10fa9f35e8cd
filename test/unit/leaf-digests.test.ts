/** Files cut into leaves: wherever the pieces end, the leaves are the same. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CambiumError,
  createHasher,
  type Hasher,
  leafDigests,
  parseLeafFormat,
  toHex,
} from '../../src/index.ts';

let hasher: Hasher;
beforeAll(async () => {
  hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
});
afterAll(() => hasher.close());

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* inPieces(content: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += length) yield content.slice(at, at + length);
}

async function digestsOf(content: Uint8Array, format: string, length: number): Promise<string> {
  let found = '';
  for await (const piece of leafDigests(inPieces(content, length), parseLeafFormat(format)!, hasher)) {
    found += toHex(piece).slice(2);
  }
  return found;
}

const hashed = (...messages: string[]): string =>
  messages.map((message) => toHex(hasher.hash(bytes(message))).slice(2)).join('');

describe('leafDigests', () => {
  it.each([1, 2, 3, 7, 1000])('pieces of %i bytes', async (length) => {
    expect(await digestsOf(bytes('abcdefg'), 'blocks:3', length)).toBe(hashed('abc', 'def', 'g'));
    const lines = bytes('one\r\ntwo\n\nfo\rur');
    expect(await digestsOf(lines, 'lines', length)).toBe(hashed('one', 'two', '', 'fo\rur'));
    const digits = hashed('x', 'y');
    const hex = `0x${digits.slice(0, 64).toUpperCase()}\r\n${digits.slice(64)}`;
    expect(await digestsOf(bytes(hex), 'hex', length)).toBe(digits);
    const raw = Uint8Array.from({ length: 64 }, (_, i) => i);
    expect(await digestsOf(raw, 'raw32', length)).toBe(toHex(raw).slice(2));
  });

  it.each([
    ['raw32', 'x'.repeat(33), '33 bytes are no multiple of 32, the digest at byte offset 32 has only 1'],
    ['hex', `${'0'.repeat(64)}\n0x12\n`, 'line 2: expected 64 hexadecimal digits, got 2'],
    ['hex', `0x${'0'.repeat(63)}g`, 'line 1: "g" at digit 64 is no hexadecimal digit'],
  ])('%s that does not fit is MALFORMED', async (format, content, message) => {
    const error = await digestsOf(bytes(content), format, 5).catch((error) => error);
    expect(error).toBeInstanceOf(CambiumError);
    expect(error).toMatchObject({ code: 'MALFORMED', message });
  });

  it.each(['', 'blocks', 'blocks:0', 'blocks:1073741825', 'blocks:1.5', 'LINES'])('no format %j', (text) => {
    expect(parseLeafFormat(text)).toBeUndefined();
  });
});
