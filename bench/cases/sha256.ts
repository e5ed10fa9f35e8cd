/** SHA-256: layers of pairs, whole trees, single pairs. */
import { createHash } from 'node:crypto';
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { createHasher, merkleRoot } from '../../dist/index.js';
import type { BenchCase } from '../case.ts';
import { layer, NATIVE, openCpu, peer, testBytes, WASM_SCALAR, WASM_SIMD } from '../contenders.ts';
import type { Contender } from '../timing.ts';

type HashInto = (nodes: Uint8Array, out: Uint8Array) => void;
const asSha256 = (): { hashInto: HashInto } => peer('@chainsafe/as-sha256');
const hashtree = (): { hash(nodes: Uint8Array): Uint8Array; hashInto: HashInto } =>
  peer('@chainsafe/hashtree');

function wasmLayer(log2: number): BenchCase {
  return {
    name: 'sha256 pairs, WASM, one thread',
    size: 2 ** log2,
    unit: 'hash',
    async open() {
      const nodes = testBytes(2 ** log2 * 64);
      const simd = await openCpu('sha256', WASM_SIMD);
      const scalar = await openCpu('sha256', WASM_SCALAR);
      return {
        contenders: [
          layer('@chainsafe/as-sha256 1.2.5 hashInto', nodes, asSha256().hashInto),
          layer('cambium wasm simd', nodes, simd.engine.hashPairs),
          layer('cambium wasm scalar', nodes, scalar.engine.hashPairs),
        ],
        async close() {
          await Promise.all([simd.backend.close(), scalar.backend.close()]);
        },
      };
    },
  };
}

const threadedLayer: BenchCase = {
  name: 'sha256 pairs, threads',
  size: 2 ** 18,
  unit: 'hash',
  async open() {
    const nodes = testBytes(2 ** 18 * 64);
    const forms = {
      'cambium hashtree, 1 thread': await openCpu('sha256', NATIVE),
      'cambium hashtree, 2 threads': await openCpu('sha256', { ...NATIVE, threads: 1 }),
      'cambium wasm simd, 2 threads': await openCpu('sha256', { ...WASM_SIMD, threads: 1 }),
    };
    return {
      contenders: [
        layer('@chainsafe/hashtree 1.0.2 hashInto', nodes, hashtree().hashInto),
        ...Object.entries(forms).map(([name, { backend }]) =>
          layer(name, nodes, (input, out) => backend.pairs({ nodes: input, out, samples: 0 })),
        ),
      ],
      async close() {
        await Promise.all(Object.values(forms).map(({ backend }) => backend.close()));
      },
    };
  },
};

/** The least that a root of these leaves costs: layer by layer into buffers that exist already. */
function loop(
  name: string,
  leaves: Uint8Array,
  hashPairs: (nodes: Uint8Array, out: Uint8Array<ArrayBuffer>) => unknown,
): Contender {
  const buffer = new Uint8Array(leaves.length / 2);
  return {
    name,
    async run() {
      let nodes: Uint8Array = leaves;
      for (let length = leaves.length / 2; length >= 32; length /= 2) {
        const parents = buffer.subarray(0, length);
        await hashPairs(nodes, parents);
        nodes = parents;
      }
    },
    output: () => buffer.subarray(0, 32),
  };
}

function rootCase(threads: number): BenchCase {
  return {
    name: `sha256 root of 2^20 leaves, ${threads + 1} thread${threads ? 's' : ''}`,
    size: 1,
    unit: 'tree',
    async open() {
      const leaves = testBytes(2 ** 20 * 32);
      const hasher = await createHasher('sha256', { backend: 'cpu', threads });
      let root: Uint8Array = new Uint8Array(0);
      return {
        contenders: [
          loop('hashPairs layer by layer', leaves, (nodes, out) =>
            threads ? hasher.hashPairs(nodes, out) : hasher.hashPairsSync(nodes, out),
          ),
          {
            name: 'cambium merkleRoot',
            run: async () => {
              root = await merkleRoot(hasher, leaves);
            },
            output: () => root,
          },
        ],
        close: () => hasher.close(),
      };
    },
  };
}

/** Many calls of one pair each; the output is the last digest. */
function calls(
  name: string,
  pairs: number,
  nodes: Uint8Array,
  hashPair: (left: Uint8Array, right: Uint8Array) => Uint8Array,
): Contender {
  let last: Uint8Array = new Uint8Array(0);
  const halves = Array.from({ length: 2 * pairs }, (_, i) => nodes.subarray(32 * i, 32 * i + 32));
  return {
    name,
    run() {
      for (let i = 0; i < pairs; i++) last = hashPair(halves[2 * i]!, halves[2 * i + 1]!);
    },
    output: () => last,
  };
}

const joined = (left: Uint8Array, right: Uint8Array): Uint8Array => {
  const both = new Uint8Array(64);
  both.set(left);
  both.set(right, 32);
  return both;
};

const onePair: BenchCase = {
  name: 'sha256 hashPair, one at a time',
  size: 4096,
  unit: 'call',
  async open() {
    const nodes = testBytes(4096 * 64);
    const native = await openCpu('sha256', NATIVE);
    const simd = await openCpu('sha256', WASM_SIMD);
    const { hash } = hashtree();
    return {
      contenders: [
        calls('@chainsafe/hashtree 1.0.2 hash', 4096, nodes, (left, right) => hash(joined(left, right))),
        calls('node:crypto createHash', 4096, nodes, (left, right) =>
          createHash('sha256').update(left).update(right).digest(),
        ),
        calls('@noble/hashes sha256', 4096, nodes, (left, right) => nobleSha256(joined(left, right))),
        calls('cambium hashtree', 4096, nodes, native.engine.hashPair),
        calls('cambium wasm simd', 4096, nodes, simd.engine.hashPair),
      ],
      async close() {
        await Promise.all([native.backend.close(), simd.backend.close()]);
      },
    };
  },
};

export const cases: readonly BenchCase[] = [
  wasmLayer(14),
  wasmLayer(18),
  threadedLayer,
  rootCase(0),
  rootCase(1),
  onePair,
];
