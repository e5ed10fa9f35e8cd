/** The hasher as its users see it: arguments, counters, concurrency, ends. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CambiumError } from '../../src/errors.ts';
import { encodeElements } from '../../src/hash/elements.ts';
import { hashes } from '../../src/hash/registry.ts';
import { createHasher, type Hasher } from '../../src/hasher.ts';

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());

function layer(nodes: Uint8Array): Uint8Array {
  const parents = new Uint8Array(nodes.length / 2);
  for (let at = 0; at < nodes.length; at += 64) parents.set(sha256(nodes.subarray(at, at + 64)), at / 2);
  return parents;
}

describe('options of createHasher', () => {
  it('are checked', async () => {
    await expect(createHasher('sha-256' as 'sha256')).rejects.toThrow(/unknown id "sha-256"; known: sha256,/);
    await expect(createHasher('sha256', { threads: -1 })).rejects.toThrow(RangeError);
    await expect(createHasher('sha256', { threads: 1.5 })).rejects.toThrow(/threads: .* got 1.5/);
    await expect(createHasher('sha256', { backend: 'tpu' as 'gpu' })).rejects.toThrow(/backend: .* got tpu/);
    await expect(createHasher('sha256', { crossCheck: 'some' as 'off' })).rejects.toThrow(RangeError);
    await expect(createHasher('sha256', { gpuThreshold: Number.NaN })).rejects.toThrow(RangeError);
  });

  it('may name a hash of the user, whose reference does the work', async () => {
    const xor = (left: Uint8Array, right: Uint8Array) =>
      left.map((byte, i) => byte ^ right[i]! ^ 1) as Uint8Array<ArrayBuffer>;
    await using hasher = await createHasher(
      {
        id: 'xor',
        digestBytes: 32,
        input: 'bytes',
        zero: new Uint8Array(32),
        load: async () => ({ id: 'xor', hashPair: xor }),
      },
      { backend: 'cpu' },
    );
    expect(hasher.info.cpu.engine).toBe('reference');
    const { root } = await hasher.hashTree(new Uint8Array(96).fill(2));
    expect(root).toEqual(new Uint8Array(32).fill(2 ^ 2 ^ 1 ^ (2 ^ 0 ^ 1) ^ 1));
    expect(() => hasher.hash(new Uint8Array(1))).toThrow(TypeError);
  });
});

describe('a hasher', () => {
  let hasher: Hasher;
  beforeAll(async () => {
    hasher = await createHasher('sha256', { backend: 'cpu' });
  });
  afterAll(() => hasher.close());

  it('hashes messages, pairs and layers', async () => {
    const bytes = randomBytes(128);
    expect(hasher.hash(bytes)).toEqual(sha256(bytes));
    expect(hasher.hash(new Uint8Array(0))).toEqual(sha256(new Uint8Array(0)));
    expect(hasher.hashPair(bytes.subarray(0, 32), bytes.subarray(32, 64))).toEqual(
      sha256(bytes.subarray(0, 64)),
    );
    expect(hasher.hashPairsSync(bytes)).toEqual(layer(bytes));
    expect(await hasher.hashPairs(bytes)).toEqual(layer(bytes));
    const digests = new Uint8Array(
      Buffer.concat([sha256(new Uint8Array(0)), sha256(bytes.subarray(0, 100)), sha256(bytes.subarray(100))]),
    );
    const lengths = Uint32Array.of(0, 100, 28);
    expect(await hasher.hashMessages(bytes, lengths)).toEqual(digests);
    const { hashesCpu } = hasher.info.counters;
    expect(hasher.hashMessagesSync(bytes, lengths)).toEqual(digests);
    expect(hasher.info.counters.hashesCpu).toBe(hashesCpu + 3);
  });

  it('takes nothing as nothing', async () => {
    expect(await hasher.hashPairs(new Uint8Array(0))).toEqual(new Uint8Array(0));
    expect(hasher.hashPairsSync(new Uint8Array(0))).toEqual(new Uint8Array(0));
    expect(await hasher.hashMessages(new Uint8Array(0), new Uint32Array(0))).toEqual(new Uint8Array(0));
  });

  it('gives plain arrays, whatever it is given', async () => {
    const pooled = Buffer.from(randomBytes(64).toString('hex'), 'hex');
    const parents = await hasher.hashPairs(pooled);
    expect(Object.getPrototypeOf(parents)).toBe(Uint8Array.prototype);
    expect(parents.buffer).toBeInstanceOf(ArrayBuffer);
    const shared = new Uint8Array(new SharedArrayBuffer(129), 1);
    shared.set(pooled, 3);
    expect(await hasher.hashPairs(shared)).toEqual(layer(shared.slice()));
    expect(hasher.hashPairsSync(shared)).toEqual(layer(shared.slice()));
  });

  it('writes to `out`, in place only at the front', async () => {
    const nodes = new Uint8Array(randomBytes(6400));
    const expected = layer(nodes);
    const inPlace = nodes.slice();
    const front = inPlace.subarray(0, 3200);
    expect(await hasher.hashPairs(inPlace, front)).toBe(front);
    expect(front).toEqual(expected);
    const apart = new Uint8Array(3201).subarray(1);
    expect(hasher.hashPairsSync(nodes, apart)).toEqual(expected);
    for (const start of [1, 32, 3200]) {
      const clash = nodes.subarray(start, start + 3200);
      expect(() => hasher.hashPairsSync(nodes, clash)).toThrow(RangeError);
      await expect(hasher.hashPairs(nodes, clash)).rejects.toThrow(/out: /);
    }
    expect(() => hasher.hashPairsSync(nodes, new Uint8Array(3168))).toThrow(
      'out: expected 3200 bytes, got 3168',
    );
    const beside = new Uint8Array(9600);
    beside.set(nodes);
    expect(hasher.hashPairsSync(beside.subarray(0, 6400), beside.subarray(6400))).toEqual(expected);
  });

  it('names the argument that does not fit', async () => {
    expect(() => hasher.hashPair(new Uint8Array(31), new Uint8Array(32))).toThrow(
      'left: expected 32 bytes, got 31',
    );
    expect(() => hasher.hash('abc' as unknown as Uint8Array)).toThrow(
      'message: expected a Uint8Array, got String',
    );
    await expect(hasher.hashPairs(new Uint8Array(65))).rejects.toThrow(
      'nodes: expected a multiple of 64 bytes, got 65',
    );
    const short = 'lengths: they add up to 2 bytes, but messages has 3';
    await expect(hasher.hashMessages(new Uint8Array(3), Uint32Array.of(1, 1))).rejects.toThrow(short);
    expect(() => hasher.hashMessagesSync(new Uint8Array(3), Uint32Array.of(1, 1))).toThrow(short);
    await expect(hasher.hashTree(new Uint8Array(33))).rejects.toThrow(
      'leaves: expected a multiple of 32 bytes, got 33',
    );
    await expect(hasher.hashTree(7 as unknown as Uint8Array)).rejects.toThrow(TypeError);
    await expect(hasher.hashTree(new Uint8Array(64), { levels: 65 })).rejects.toThrow(RangeError);
    await expect(hasher.hashTree(new Uint8Array(96), { levels: 1 })).rejects.toThrow(
      'do not fit below 1 levels',
    );
    await expect(hasher.hashTree(new Uint8Array(64), { fill: 'twice' as 'zero' })).rejects.toThrow(
      /fill: .* got twice/,
    );
    await expect(hasher.hashRows(new Uint8Array(64), 2)).rejects.toThrow(TypeError);
    expect(() => hasher.hashElements([1n])).toThrow(TypeError);
  });

  it('counts its hashes', async () => {
    const counted = await createHasher('sha256', { backend: 'cpu', threads: 0 });
    const total = (): number => counted.info.counters.hashesCpu;
    await counted.hashPairs(new Uint8Array(640));
    expect(total()).toBe(10);
    counted.hashPair(new Uint8Array(32), new Uint8Array(32));
    expect(total()).toBe(11);
    await counted.hashTree(new Uint8Array(32 * 1000));
    // 500 + 250 + 125 + 63 + 32 + 16 + 8 + 4 + 2 + 1
    expect(total()).toBe(11 + 1001);
    await counted.hashTree({ messages: new Uint8Array(40), lengths: new Uint32Array(4).fill(10) });
    expect(total()).toBe(1012 + 4 + 3);
    expect(counted.info.counters).toMatchObject({ hashesGpu: 0, dispatches: 0, bytesUp: 0, bytesDown: 0 });
    await counted.close();
  });

  it('runs 50 calls at once', async () => {
    const inputs = Array.from({ length: 50 }, (_, i) => new Uint8Array(randomBytes(64 * (i * 97 + 1))));
    const made = await Promise.all(inputs.map((nodes) => hasher.hashPairs(nodes)));
    made.forEach((parents, i) => {
      expect(Buffer.compare(parents, layer(inputs[i]!))).toBe(0);
    });
  });

  it('stops when it is told to', async () => {
    await expect(
      hasher.hashPairs(new Uint8Array(64), undefined, { signal: AbortSignal.abort('enough') }),
    ).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' });
    const controller = new AbortController();
    const running = hasher.hashTree(new Uint8Array(32 * 2 ** 20), {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
    expect(hasher.hash(new Uint8Array(1))).toEqual(sha256(new Uint8Array(1)));
  });

  it('tells progress, and the end', async () => {
    const seen: number[] = [];
    await hasher.hashTree(new Uint8Array(32 * 2 ** 18), { onProgress: ({ done }) => seen.push(done) });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(2 ** 18);
  });

  it('ends what is under way before it closes, and does nothing afterwards', async () => {
    const closing = await createHasher('sha256', { backend: 'cpu' });
    const nodes = new Uint8Array(64 * 2 ** 14);
    const running = closing.hashPairs(nodes);
    const closed = closing.close();
    expect((await running).length).toBe(32 * 2 ** 14);
    await closed;
    await closing.close();
    for (const call of [() => closing.hash(nodes), () => closing.hashPairsSync(nodes)]) {
      expect(call).toThrow(expect.objectContaining({ code: 'CLOSED' }));
    }
    await expect(closing.hashPairs(nodes)).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(closing.hashTree(nodes)).rejects.toBeInstanceOf(CambiumError);
  });
});

const fields = [...hashes.values()].filter(({ input }) => input !== 'bytes');
describe.each(fields)('elements of $id', (spec) => {
  const input = spec.input as Exclude<typeof spec.input, 'bytes'>;
  const { modulus } = input;
  const perDigest = 32 / input.elementBytes;
  /** Digests of small elements, but for one. */
  const digests = (count: number, at: number, value: bigint): Uint8Array =>
    encodeElements(
      Array.from({ length: count * perDigest }, (_, i) => (i === at ? value : BigInt(i))),
      input,
    );

  it('are refused at or above the modulus, wherever they come in', async () => {
    await using hasher = await createHasher(spec, { backend: 'cpu', threads: 1 });
    for (const value of [modulus, 2n ** BigInt(8 * input.elementBytes) - 1n]) {
      const at = 6 * perDigest - 1;
      const refused = { code: 'NOT_CANONICAL', index: at };
      const nodes = digests(8, at, value);
      expect(() => hasher.hashPairsSync(nodes)).toThrow(expect.objectContaining(refused));
      await expect(hasher.hashPairs(nodes)).rejects.toMatchObject(refused);
      await expect(hasher.hashTree(nodes)).rejects.toMatchObject(refused);
      await expect(hasher.hashTree(nodes.subarray(5 * 32, 6 * 32))).rejects.toMatchObject({
        code: 'NOT_CANONICAL',
      });
      expect(() => hasher.hashPair(nodes.subarray(0, 32), nodes.subarray(5 * 32, 6 * 32))).toThrow(
        expect.objectContaining({ code: 'NOT_CANONICAL', index: 2 * perDigest - 1 }),
      );
      expect(() => hasher.hashElements([1n, value])).toThrow(
        expect.objectContaining({ code: 'NOT_CANONICAL', index: 1 }),
      );
      await expect(hasher.hashRows(nodes, 2)).rejects.toMatchObject(refused);
    }
    await hasher.hashPairs(digests(8, 3, modulus - 1n));
  });

  it('make the reference’s digests, alone, in rows and in columns', async () => {
    await using hasher = await createHasher(spec, { backend: 'cpu', threads: 1 });
    const { hashElements } = await spec.load();
    const [count, width] = [9, 5];
    const rows = Array.from({ length: count }, (_, i) =>
      Array.from({ length: width }, (_, j) => (modulus - 1n) / BigInt(1 + i * width + j)),
    );
    const expected = Buffer.concat(rows.map((row) => hashElements!(row)));
    const bytes = encodeElements(rows.flat(), input);
    expect(Buffer.from(await hasher.hashRows(bytes, width))).toEqual(expected);
    expect(Buffer.from(hasher.hashElements(rows[3]!))).toEqual(expected.subarray(3 * 32, 4 * 32));
    const columns = Array.from({ length: width }, (_, j) =>
      encodeElements(
        rows.map((row) => row[j]!),
        input,
      ),
    );
    const fromRows = await hasher.hashTree({ rows: bytes, rowElements: width }, { keepFrom: 0 });
    const fromColumns = await hasher.hashTree({ columns }, { keepFrom: 0 });
    expect(Buffer.from(fromRows.layers[0]!)).toEqual(expected);
    expect(fromColumns).toEqual(fromRows);
  });
});
