/** Every hash of bytes on the GPU, against independent code. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PIECE_BYTES } from '../../src/backend/gpu/message-plan.ts';
import { createHasher, type Hasher } from '../../src/hasher.ts';
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
import { expectBytes, randomBytes, shifted } from '../support/cpu.ts';

describe.each(byteHashes)('[gpu] $id', ({ spec, noble }) => {
  let hasher: Hasher;
  beforeAll(async () => {
    hasher = await createHasher(spec, { backend: 'gpu', crossCheck: 'off' });
  });
  afterAll(async () => {
    expect(hasher.info.counters.hashesCpu).toBe(0);
    await hasher.close();
  });

  it('layers of all widths', async () => {
    for (const pairs of LAYERS) {
      const nodes = randomBytes(64 * pairs);
      expectBytes(await hasher.hashPairs(nodes), parentsOf(noble, nodes), `${pairs} pairs`);
    }
  });

  it('messages of all lengths, at odd addresses', async () => {
    for (const lengths of [SHORT_LENGTHS, LONG_LENGTHS]) {
      const messages = shifted(randomBytes(totalOf(lengths)), 3);
      const digests = await hasher.hashMessages(messages, Uint32Array.from(lengths));
      expectBytes(digests, digestsOf(noble, messages, lengths));
    }
  });

  it('messages that take several dispatches, beside short ones', async () => {
    const lengths = [40, PIECE_BYTES + 777, 5000, 2 * PIECE_BYTES + 1, 0, PIECE_BYTES];
    const messages = randomBytes(totalOf(lengths));
    const digests = await hasher.hashMessages(messages, Uint32Array.from(lengths));
    expectBytes(digests, digestsOf(noble, messages, lengths));
  });

  it('a whole tree over messages', async () => {
    const lengths = Array.from({ length: 1500 }, (_, i) => (i * 89) % 300);
    const messages = randomBytes(totalOf(lengths));
    const source = { messages, lengths: Uint32Array.from(lengths) };
    const { root } = await hasher.hashTree(source, { levels: 11 });
    expectBytes(root, rootOf(noble, digestsOf(noble, messages, lengths), 11));
  });
});
