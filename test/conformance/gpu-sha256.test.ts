import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenGpu } from '../../src/backend/gpu/index.ts';
import { openGpuBackend } from '../../src/backend/gpu/index.ts';
import { concatBytes, fromHex, toHex } from '../../src/bytes.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import { messageBlocks, sha256 as referenceSha256 } from '../../src/hash/sha256.ts';
import { sha256Truncated } from '../../src/hash/sha256-truncated.ts';
import { openSha256 } from '../support/gpu.ts';
import { sha256 } from '../support/naive-tree.ts';

const vectors = (path: string) =>
  JSON.parse(readFileSync(new URL(`../vectors/${path}.json`, import.meta.url), 'utf8'));

/** The vector files' byte stream: SHA-256 of a seed and a counter. */
function stream(seed: string, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil(length / 32) * 32);
  for (let i = 0; 32 * i < bytes.length; i++) {
    bytes.set(sha256(new TextEncoder().encode(seed), new Uint8Array(Uint32Array.of(i).buffer)), 32 * i);
  }
  return bytes.slice(0, length);
}

let gpu: OpenGpu;
beforeAll(async () => {
  gpu = await openSha256();
});
afterAll(() => gpu.backend.close());

async function hashPairs(nodes: Uint8Array): Promise<Uint8Array> {
  const out = new Uint8Array(nodes.length / 2);
  await gpu.backend.pairs({ nodes, out, samples: 0 });
  return out;
}

async function hashMessages(opened: OpenGpu, messages: readonly Uint8Array[]): Promise<string[]> {
  const source = {
    kind: 'messages',
    messages: concatBytes(...messages),
    lengths: Uint32Array.from(messages, (message) => message.length),
  } as const;
  const { layers } = await opened.backend.chunk({
    source,
    leafCount: messages.length,
    levels: 0,
    padding: 'none',
    zeros: [],
    samples: 0,
  });
  return messages.map((_, i) => toHex(layers[0]!.subarray(32 * i, 32 * i + 32)));
}

describe('[gpu] SHA-256 vectors', () => {
  it('pairs', async () => {
    const { cases } = vectors('ssz/sha256_pairs') as {
      cases: { left: string; right: string; digest: string }[];
    };
    expect(cases.length).toBeGreaterThan(20);
    const digests = await hashPairs(
      concatBytes(...cases.flatMap(({ left, right }) => [fromHex(left), fromHex(right)])),
    );
    expect(toHex(digests)).toBe(toHex(concatBytes(...cases.map(({ digest }) => fromHex(digest)))));
  });

  it('layers, out of place and in place', async () => {
    const { cases } = vectors('ssz/sha256_layers') as {
      cases: { pairs: number; seed: string; input_sha256: string; output_sha256: string }[];
    };
    expect(cases.length).toBeGreaterThan(20);
    for (const { pairs, seed, input_sha256, output_sha256 } of cases) {
      const nodes = stream(seed, 64 * pairs);
      expect(toHex(sha256(nodes))).toBe(input_sha256);
      expect(toHex(sha256(await hashPairs(nodes)))).toBe(output_sha256);
      const half = nodes.subarray(0, 32 * pairs);
      await gpu.backend.pairs({ nodes, out: half, samples: 0 });
      expect(toHex(sha256(half))).toBe(output_sha256);
    }
  });

  it('messages, whole and truncated', async () => {
    const file = vectors('bn254/sha256_and_root_trees') as {
      vectors: { kind: string; bytes: string; sha256: string; sha256_trunc: string }[];
    };
    const cases = file.vectors.filter(({ kind }) => kind === 'bytes');
    expect(cases.length).toBeGreaterThan(10);
    const messages = cases.map(({ bytes }) => fromHex(bytes));
    expect(await hashMessages(gpu, messages)).toEqual(cases.map((one) => one.sha256));

    const truncated = await openGpuBackend(hashSpec('sha256-truncated'), {
      engine: {
        hashPairs(nodes, out) {
          for (let i = 0; i < out.length / 32; i++)
            out.set(sha256Truncated(nodes.subarray(64 * i, 64 * i + 64)), 32 * i);
        },
        hashMessages(bytes, lengths, out) {
          let at = 0;
          lengths.forEach((length, i) => {
            out.set(sha256Truncated(bytes.subarray(at, at + length)), 32 * i);
            at += length;
          });
        },
      },
      messageBlocks,
    });
    if ('refused' in truncated) throw new Error(truncated.refused);
    expect(await hashMessages(truncated, messages)).toEqual(cases.map((one) => one.sha256_trunc));
    const nodes = stream('truncated', 64 * 5);
    const out = new Uint8Array(32 * 5);
    await truncated.backend.pairs({ nodes, out, samples: 0 });
    for (let i = 0; i < 5; i++) {
      expect(out.subarray(32 * i, 32 * i + 32)).toEqual(sha256Truncated(nodes.subarray(64 * i, 64 * i + 64)));
    }
    await truncated.backend.close();
  });

  it('messages of every length from 0 to 300, at every alignment', async () => {
    for (const shift of [0, 1, 2, 3]) {
      const messages = Array.from({ length: 301 }, (_, i) =>
        stream(`message ${shift}`, (i * 97 + shift) % 301),
      );
      expect(new Set(messages.map(({ length }) => length)).size).toBe(301);
      const lead = [new Uint8Array(shift), ...messages];
      expect(await hashMessages(gpu, lead)).toEqual(lead.map((message) => toHex(sha256(message))));
    }
  });

  it('the reference agrees', () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
      expect(toHex(referenceSha256(stream('reference', length)))).toBe(
        toHex(sha256(stream('reference', length))),
      );
    }
  });
});
