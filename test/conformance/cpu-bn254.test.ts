/** Poseidon2 and Poseidon over BN254 in WASM, every build: all vectors, second libraries, rows of all lengths. */
import { poseidon2Hash } from '@zkpassport/poseidon2';
import * as poseidonLite from 'poseidon-lite';
import { describe, expect, it } from 'vitest';
import { vectorForm } from '../../kernels/field/bn254-f64.ts';
import { scalarForm } from '../../kernels/field/bn254-i64.ts';
import { exportLoad, reserveConstants } from '../../kernels/field/constants.ts';
import type { FieldForm } from '../../kernels/field/form.ts';
import { kernels as poseidonKernels } from '../../kernels/hash/poseidon-bn254.ts';
import { CONSTANTS, permutation, kernels as poseidon2Kernels } from '../../kernels/hash/poseidon2-bn254.ts';
import { ModuleBuilder } from '../../kernels/lib/module.ts';
import { i32 } from '../../kernels/lib/scalar.ts';
import { placesAt } from '../../kernels/lib/words.ts';
import type { SyncEngine } from '../../src/backend/types.ts';
import { concatBytes, type Digest, digestAt, fromHex, toHex } from '../../src/bytes.ts';
import { elementFromBytes, elementToBytes, fr } from '../../src/field/bn254.ts';
import { MAX_INPUTS } from '../../src/hash/poseidon-bn254.ts';
import { DENSE_CHUNK } from '../../src/hash/poseidon-bn254-elements.ts';
import { WIDTH } from '../../src/hash/poseidon2-bn254.ts';
import { poseidon2Constants } from '../../src/hash/poseidon2-bn254-tables.ts';
import { type HashId, hashSpec } from '../../src/hash/registry.ts';
import { createHasher } from '../../src/hasher.ts';
import { parse, randomIntegers, readVectors, written } from '../support/bn254-vectors.ts';
import { expectBytes } from '../support/cpu.ts';
import { compile, enginesOf } from '../support/kernels.ts';

const zeros = readVectors<Record<string, string[]>>('zero_hashes');
const pairs = readVectors<{ vectors: { left: string; right: string; hash: string }[] }>('pair_hash').vectors;
const hashes = readVectors<{ vectors: { inputs: string[]; hash: string }[] }>('poseidon2_hash').vectors;
const circom = readVectors<{
  vectors: { t: number; inputs: string[]; hash: string }[];
  full_state: { t: number; inputs: string[]; state: string[] }[];
}>('poseidon_circomlib');

const bytesOf = (elements: readonly bigint[]): Digest => concatBytes(...elements.map(elementToBytes));
const random = (count: number, seed: number): bigint[] => {
  const source = randomIntegers(seed, fr.modulus);
  return Array.from({ length: count }, () => source.next().value);
};

function row(engine: SyncEngine, elements: readonly bigint[]): string {
  const out = new Uint8Array(32);
  engine.hashRows!(bytesOf(elements), elements.length, out);
  return toHex(out);
}

function emptyTrees(engine: SyncEngine): string[] {
  const digests = [new Uint8Array(32)];
  while (digests.length < 65) digests.push(engine.hashPair(digests.at(-1)!, digests.at(-1)!));
  return digests.map(toHex);
}

const plain = poseidon2Constants([]);

describe.each(enginesOf(poseidon2Kernels, () => plain))('poseidon2-bn254, %s', (_, engine) => {
  it('has the published digests of pairs, in any lane', () => {
    const nodes = concatBytes(...pairs.flatMap(({ left, right }) => [fromHex(left), fromHex(right)]));
    const right = concatBytes(...pairs.map(({ hash }) => fromHex(hash)));
    for (const skipped of [0, 1, 2, 3]) {
      const out = new Uint8Array(right.length - 32 * skipped);
      engine.hashPairs(nodes.subarray(64 * skipped), out);
      expectBytes(out, right.subarray(32 * skipped));
    }
  });

  it('has the published digests of rows', () => {
    for (const { inputs, hash } of hashes) expect(row(engine, parse(inputs))).toBe(hash);
  });

  it('has the published digests of empty trees', () => {
    expect(emptyTrees(engine)).toEqual(zeros.poseidon2);
  });

  it('agrees with @zkpassport/poseidon2 on rows of 0 to 13 elements', () => {
    for (let length = 0; length <= 13; length++) {
      const elements = random(length, length + 1);
      expect(row(engine, elements)).toBe(written(poseidon2Hash(elements)));
    }
  });
});

const FORMS: readonly [string, (module: ModuleBuilder) => FieldForm][] = [
  ['f64', (module) => vectorForm(module, 2)],
  ['i64', scalarForm],
];

it.each(FORMS)('the permutation of Poseidon2 has the published states, %s', (_, open) => {
  const module = new ModuleBuilder();
  const count = module.reserve(4);
  const constants = reserveConstants(module, open(module), CONSTANTS, WIDTH);
  const { form } = constants;
  const first = module.reserve(WIDTH * form.bytes);
  const state = (i: number) => i32.const(first + i * form.bytes);
  const { bound, run } = permutation(module, constants, state);
  exportLoad(module, [constants], count);
  module.function(
    'run',
    { at: 'i32' },
    (f, { at }) => {
      const places = (i: number) =>
        placesAt(Array.from({ length: form.lanes }, (_, lane) => i32.add(at, 32 * (lane * WIDTH + i))));
      for (let i = 0; i < WIDTH; i++) form.read(f, state(i), places(i));
      f.run(run());
      for (let i = 0; i < WIDTH; i++) form.write(f, { at: state(i), bound }, places(i));
    },
    { export: true },
  );
  const exported = new WebAssembly.Instance(compile(module.toText())).exports as unknown as {
    memory: WebAssembly.Memory;
    heap: WebAssembly.Global;
    load(at: number, count: number): void;
    run(at: number): void;
  };
  exported.memory.grow(1);
  const heap = exported.heap.value as number;
  const bytes = new Uint8Array(exported.memory.buffer, heap);
  bytes.set(plain);
  exported.load(heap, plain.length / 32);
  const { vectors } = readVectors<{ vectors: { input: string[]; output: string[] }[] }>(
    'poseidon2_permutation',
  );
  for (let at = 0; at < vectors.length; at += form.lanes) {
    const group = vectors.slice(at, at + form.lanes);
    bytes.set(bytesOf(group.flatMap(({ input }) => parse(input))));
    exported.run(heap);
    group.forEach(({ output }, lane) => {
      const got = output.map((_, i) => toHex(digestAt(bytes, lane * WIDTH + i)));
      expect(got).toEqual(output);
    });
  }
});

const SEPARATORS = [2982624097n, 1157584160n, 3756303423n, fr.modulus - 1n];

describe.each(SEPARATORS)('Poseidon2 nodes with separator %i', (separator) => {
  const constants = poseidon2Constants([separator]);
  const engines = enginesOf(poseidon2Kernels, () => constants);
  it.each(engines)('pairs and rows, %s', (_, engine) => {
    const published = zeros[`poseidon2_separator_${separator}`];
    if (published) expect(emptyTrees(engine)).toEqual(published);
    const elements = random(18, 5);
    const out = new Uint8Array(9 * 32);
    engine.hashPairs(bytesOf(elements), out);
    for (let i = 0; i < 9; i++) {
      const right = poseidon2Hash([separator, elements[2 * i]!, elements[2 * i + 1]!]);
      expect(toHex(digestAt(out, i))).toBe(written(right));
    }
    // Only nodes are separated.
    expect(row(engine, elements.slice(0, 2))).toBe(written(poseidon2Hash(elements.slice(0, 2))));
  });
});

/**
 * Constants by which element `i` of the state comes out: rows 0 and i of the last layer have changed places. Kernels
 * write element 0 alone.
 */
function withElementFirst(inputs: number, i: number): Digest {
  const table = poseidonConstants!(inputs);
  const width = inputs + 1;
  const rowBytes = 32 * (DENSE_CHUNK * Math.ceil(width / DENSE_CHUNK) + 1);
  const last = table.length - width * rowBytes;
  const at = (k: number): [number, number] => [last + k * rowBytes, last + (k + 1) * rowBytes];
  const changed = table.slice();
  changed.set(table.subarray(...at(i)), last);
  changed.set(table.subarray(...at(0)), last + i * rowBytes);
  return changed;
}

const { constants: poseidonConstants } = await hashSpec('poseidon-bn254').cpu!();
/** Constants that a test puts in place of those that belong there. */
let replaced: Digest | undefined;
const poseidonEngines = enginesOf(poseidonKernels, (elements) => replaced ?? poseidonConstants!(elements));

describe.each(poseidonEngines)('poseidon-bn254, %s', (_, engine) => {
  it('has the published digests of all widths', () => {
    expect(new Set(circom.vectors.map(({ t }) => t)).size).toBe(MAX_INPUTS);
    for (const { inputs, hash } of circom.vectors) expect(row(engine, parse(inputs))).toBe(hash);
  });

  it('has the published whole states', () => {
    for (const { t, inputs, state } of circom.full_state) {
      const got = state.map((_, i) => {
        replaced = withElementFirst(t - 1, i);
        return row(engine, parse(inputs));
      });
      replaced = undefined;
      expect(got).toEqual(state);
    }
  });

  it('has the published digests of empty trees', () => {
    expect(emptyTrees(engine)).toEqual(zeros.poseidon_circomlib_t3);
  });

  it('agrees with poseidon-lite on five rows of each width, one after the other and back', () => {
    const oracles = poseidonLite as unknown as Record<string, (elements: bigint[]) => bigint>;
    const widths = Array.from({ length: MAX_INPUTS }, (_, i) => i + 1);
    for (const width of [...widths, 2, 16, 1]) {
      const elements = random(5 * width, width);
      const out = new Uint8Array(5 * 32);
      engine.hashRows!(bytesOf(elements), width, out);
      for (let i = 0; i < 5; i++) {
        const right = oracles[`poseidon${width}`]!(elements.slice(i * width, (i + 1) * width));
        expect(toHex(digestAt(out, i))).toBe(written(right));
      }
    }
  });
});

const IDS: readonly HashId[] = [
  'poseidon2-bn254',
  'poseidon2-bn254-sep-2982624097',
  'poseidon2-bn254-sep-1157584160',
  'poseidon2-bn254-sep-3756303423',
  'poseidon-bn254',
];

describe.each(IDS)('hasher of %s on the CPU', (id) => {
  const layer = bytesOf(random(64, 9));

  it('refuses an element that is not canonical at any position, and takes p - 1 there', async () => {
    await using hasher = await createHasher(id, { backend: 'cpu', threads: 0 });
    for (let index = 0; index < 64; index++) {
      const bad = layer.slice();
      bad.set(elementToBytes(fr.modulus + BigInt(index)), 32 * index);
      const refused = { code: 'NOT_CANONICAL', index };
      expect(() => hasher.hashPairsSync(bad)).toThrow(expect.objectContaining(refused));
      await expect(hasher.hashPairs(bad)).rejects.toMatchObject(refused);
      await expect(hasher.hashRows(bad, 4)).rejects.toMatchObject(refused);
      await expect(hasher.hashTree(bad)).rejects.toMatchObject(refused);
    }
    const module = await hashSpec(id).load();
    const greatest = bytesOf(new Array(64).fill(fr.modulus - 1n));
    const parent = module.hashPair(greatest.subarray(0, 32), greatest.subarray(32, 64));
    expectBytes(hasher.hashPairsSync(greatest), concatBytes(...new Array(32).fill(parent)));
  });

  it('folds a tree of 37 leaves as the reference does, on two threads', async () => {
    await using hasher = await createHasher(id, { backend: 'cpu', threads: 1 });
    const module = await hashSpec(id).load();
    const { layers } = await hasher.hashTree(layer.slice(0, 37 * 32), { keepFrom: 0 });
    let zero: Digest = new Uint8Array(32);
    for (let k = 1; k < layers.length; k++) {
      const below = layers[k - 1]!.length % 64 ? concatBytes(layers[k - 1]!, zero) : layers[k - 1]!;
      const right = Array.from({ length: below.length / 64 }, (_, i) =>
        module.hashPair(digestAt(below, 2 * i), digestAt(below, 2 * i + 1)),
      );
      expectBytes(layers[k]!, concatBytes(...right));
      zero = module.hashPair(zero, zero);
    }
    expect(elementFromBytes(layers.at(-1)!, 0)).toBeLessThan(fr.modulus);
    expect(layers).toHaveLength(7);
  });
});
