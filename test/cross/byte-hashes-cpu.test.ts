/** Every hash of bytes on every engine of the CPU, against independent code. */
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/backend/cpu/engine.ts';
import { createHasher } from '../../src/hasher.ts';
import {
  byteHashes,
  digestsOf,
  LAYERS,
  LONG_LENGTHS,
  parentsOf,
  rootOf,
  SHORT_LENGTHS,
  totalOf,
} from '../support/byte-hashes.ts';
import { ENGINES, expectBytes, randomBytes, shifted } from '../support/cpu.ts';

const WASM = ['wasm simd', 'wasm scalar'];

describe.each(byteHashes)('$id', ({ id, spec, noble }) => {
  describe.each(WASM)('%s', (name) => {
    const open = async () => {
      const { engine } = await openEngine(spec, await spec.load(), ENGINES[name]!);
      expect(engine.name).toBe(name);
      return engine;
    };

    it('layers of all widths, also in place', async () => {
      const engine = await open();
      for (const pairs of LAYERS) {
        const nodes = randomBytes(64 * pairs);
        const right = parentsOf(noble, nodes);
        const out = new Uint8Array(32 * pairs);
        engine.hashPairs(nodes, out);
        expectBytes(out, right, `${pairs} pairs`);
        engine.hashPairs(nodes, nodes.subarray(0, 32 * pairs));
        expectBytes(nodes.subarray(0, 32 * pairs), right, `${pairs} pairs in place`);
      }
    });

    it('messages of all lengths, at odd addresses', async () => {
      const engine = await open();
      for (const lengths of [SHORT_LENGTHS, LONG_LENGTHS, [2 ** 20, 5]]) {
        const messages = shifted(randomBytes(totalOf(lengths)), 3);
        const out = new Uint8Array(32 * lengths.length);
        engine.hashMessages!(messages, Uint32Array.from(lengths), out);
        expectBytes(out, digestsOf(noble, messages, lengths));
      }
    });

    it('nodes of Monotree, in runs of equal block counts and mixed', async () => {
      const engine = await open();
      const sizes = Array.from({ length: 63 }, (_, i) => 75 + i);
      const lengths = [...sizes.flatMap((size) => Array<number>(9).fill(size)), ...sizes, ...sizes.reverse()];
      const messages = randomBytes(totalOf(lengths));
      const out = new Uint8Array(32 * lengths.length);
      engine.hashMessages!(messages, Uint32Array.from(lengths), out);
      expectBytes(out, digestsOf(noble, messages, lengths));
    });
  });

  it.each([0, 1])('whole trees over messages, with %i workers', async (threads) => {
    const hasher = await createHasher(spec, { backend: 'cpu', threads });
    try {
      const lengths = Array.from({ length: 3000 }, (_, i) => (i * 89) % 300);
      const messages = randomBytes(totalOf(lengths));
      const source = { messages, lengths: Uint32Array.from(lengths) };
      const { root } = await hasher.hashTree(source, { levels: 12 });
      expectBytes(root, rootOf(noble, digestsOf(noble, messages, lengths), 12), id);
      expectBytes(await hasher.hashMessages(messages, source.lengths), digestsOf(noble, messages, lengths));
      expectBytes(hasher.hash(messages), noble(messages));
    } finally {
      await hasher.close();
    }
  });
});
