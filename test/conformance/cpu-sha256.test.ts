/** Published SHA-256 digests on every engine of the CPU. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/backend/cpu/engine.ts';
import { openCpuBackend } from '../../src/backend/cpu/index.ts';
import { fromHex, toHex } from '../../src/bytes.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import { initialState, messageSchedule, roundConstants } from '../../src/hash/sha256.ts';
import { ENGINES, stream } from '../support/cpu.ts';

function vectors<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(`../vectors/${path}`, import.meta.url), 'utf8')) as T;
}

interface Layer {
  readonly pairs: number;
  readonly seed: string;
  readonly input_sha256: string;
  readonly output_sha256: string;
}

const pairs = vectors<{ cases: { name: string; left: string; right: string; digest: string }[] }>(
  'ssz/sha256_pairs.json',
).cases;
const layers = vectors<{ cases: Layer[] }>('ssz/sha256_layers.json').cases;
const zeroHashes = vectors<{ zero_hashes: string[] }>('ssz/zero_hashes.json').zero_hashes;
const schedule = vectors<{ K: string[]; H0: string[]; W: string[]; KW: string[] }>(
  'ssz/sha256_padding_schedule.json',
);
const digests = vectors<{
  vectors: {
    kind: string;
    bytes?: string;
    left?: string;
    right?: string;
    sha256: string;
    sha256_trunc: string;
  }[];
}>('bn254/sha256_and_root_trees.json').vectors;

const plain = (bytes: Uint8Array): string => `0x${createHash('sha256').update(bytes).digest('hex')}`;

describe('tables', () => {
  const words = (values: ArrayLike<number>) =>
    Array.from(values, (word) => `0x${word.toString(16).padStart(8, '0')}`);

  it('are those of FIPS 180-4', () => {
    expect(words(roundConstants)).toEqual(schedule.K);
    expect(words(initialState)).toEqual(schedule.H0);
  });

  it('give the padding schedule', () => {
    const w = messageSchedule([0x80000000, ...Array<number>(14).fill(0), 512]);
    expect(words(w)).toEqual(schedule.W);
    expect(words(w.map((word, t) => word + roundConstants[t]!))).toEqual(schedule.KW);
  });
});

describe.each(Object.keys(ENGINES))('%s', (name) => {
  const open = async (id: string) => {
    const spec = hashSpec(id);
    return (await openEngine(spec, await spec.load(), ENGINES[name]!)).engine;
  };

  it('hashes the published pairs', async () => {
    const engine = await open('sha256');
    for (const { name: pair, left, right, digest } of pairs) {
      expect(toHex(engine.hashPair(fromHex(left), fromHex(right))), pair).toBe(digest);
    }
  });

  it('hashes the published layers, in place too', async () => {
    const engine = await open('sha256');
    const least = name === 'reference' ? 1025 : Number.POSITIVE_INFINITY;
    for (const { pairs: count, seed, input_sha256, output_sha256 } of layers) {
      if (count > least) continue;
      const input = stream(seed, 64 * count);
      expect(plain(input)).toBe(input_sha256);
      const out = new Uint8Array(32 * count);
      engine.hashPairs(input, out);
      expect(plain(out), `${count} pairs`).toBe(output_sha256);
      engine.hashPairs(input, input.subarray(0, 32 * count));
      expect(plain(input.subarray(0, 32 * count)), `${count} pairs in place`).toBe(output_sha256);
    }
  });

  it('gives the zero hashes', async () => {
    const engine = await open('sha256');
    let zero = new Uint8Array(32);
    for (const published of zeroHashes) {
      expect(toHex(zero)).toBe(published);
      zero = engine.hashPair(zero, zero);
    }
  });

  it.each(['sha256', 'sha256-truncated'] as const)('%s: published messages and pairs', async (id) => {
    const engine = await open(id);
    const right = (vector: (typeof digests)[number]) =>
      id === 'sha256' ? vector.sha256 : vector.sha256_trunc;
    const messages = digests.filter(({ kind }) => kind === 'bytes');
    const contents = messages.map(({ bytes }) => fromHex(bytes!));
    const out = new Uint8Array(32 * contents.length);
    engine.hashMessages!(
      new Uint8Array(Buffer.concat(contents)),
      Uint32Array.from(contents, (c) => c.length),
      out,
    );
    messages.forEach((message, i) => {
      expect(toHex(out.subarray(32 * i, 32 * i + 32))).toBe(right(message));
    });
    const couples = digests.filter(({ kind }) => kind === 'pair');
    expect(couples.length).toBeGreaterThan(0);
    for (const couple of couples) {
      expect(toHex(engine.hashPair(fromHex(couple.left!), fromHex(couple.right!)))).toBe(right(couple));
    }
  });
});

describe.each([0, 1, 3])('%i workers', (threads) => {
  it.each(['hashtree', 'wasm simd'])('%s: published layers', async (name) => {
    const spec = hashSpec('sha256');
    const { backend } = await openCpuBackend(spec, await spec.load(), { threads, engine: ENGINES[name]! });
    for (const { pairs: count, seed, output_sha256 } of layers) {
      const input = stream(seed, 64 * count);
      const out = new Uint8Array(32 * count);
      await backend.pairs({ nodes: input, out, samples: 0 });
      expect(plain(out), `${count} pairs`).toBe(output_sha256);
    }
    await backend.close();
  });
});
