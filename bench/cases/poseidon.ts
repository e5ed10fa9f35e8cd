/** Poseidon2 and Poseidon over BN254: layers of pairs against the WASM of others, and two threads against one. */
import type { BenchCase } from '../case.ts';
import { type CpuForm, layer, ONE_THREAD_FORMS, openCpu, peer, testBytes } from '../contenders.ts';
import type { Contender } from '../timing.ts';

const SIZES = [2 ** 10, 2 ** 13];

/** Nodes whose elements are below the modulus, which has 254 bits. */
function canonicalNodes(pairs: number): Uint8Array<ArrayBuffer> {
  const nodes = testBytes(64 * pairs);
  for (let at = 0; at < nodes.length; at += 32) nodes[at]! &= 0x1f;
  return nodes;
}

const cut = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: bytes.length / size }, (_, i) => bytes.subarray(size * i, size * (i + 1)));

interface Barretenberg {
  readonly BarretenbergSync: {
    'new'(options: { backend: 'Wasm'; threads: number }): Promise<{
      poseidon2Hash(command: { inputs: readonly Uint8Array[] }): { hash: Uint8Array };
    }>;
  };
}

/** One call a pair, over inputs that exist already. */
async function barretenberg(nodes: Uint8Array): Promise<Contender> {
  const { BarretenbergSync } = peer('@aztec/bb.js') as Barretenberg;
  const api = await BarretenbergSync.new({ backend: 'Wasm', threads: 1 });
  const pairs = cut(nodes, 64).map((pair) => cut(pair, 32));
  let digests: Uint8Array[] = [];
  return {
    name: '@aztec/bb.js 5.0.0 poseidon2Hash',
    run() {
      digests = pairs.map((inputs) => api.poseidon2Hash({ inputs }).hash);
    },
    output: () => Buffer.concat(digests),
  };
}

interface Circomlib {
  buildPoseidon(): Promise<{
    (inputs: Uint8Array): Uint8Array;
    readonly F: {
      fromRprLE(bytes: Uint8Array, offset: number): Uint8Array;
      toRprBE(bytes: Uint8Array, offset: number, element: Uint8Array): void;
    };
  }>;
}

/** One call a pair, in the package's own form of elements: conversions are not charged. */
async function circomlib(nodes: Uint8Array): Promise<Contender> {
  const poseidon = await (peer('circomlibjs') as Circomlib).buildPoseidon();
  // The package has no way from big-endian bytes.
  const own = (element: Uint8Array) => poseidon.F.fromRprLE(element.slice().reverse(), 0);
  const pairs = cut(nodes, 64).map((pair) => Buffer.concat(cut(pair, 32).map(own)));
  let digests: Uint8Array[] = [];
  return {
    name: 'circomlibjs 0.1.7, WASM',
    run() {
      digests = pairs.map((inputs) => poseidon(inputs));
    },
    output() {
      const bytes = new Uint8Array(32 * digests.length);
      for (const [i, digest] of digests.entries()) poseidon.F.toRprBE(bytes, 32 * i, digest);
      return bytes;
    },
  };
}

const PEERS = { 'poseidon2-bn254': barretenberg, 'poseidon-bn254': circomlib } as const;
type Id = keyof typeof PEERS;

/** The name says the size, which keeps the two apart in tables. */
const againstPeer = (id: Id, size: number): BenchCase => ({
  name: `${id} pairs, layer of ${size}, one thread`,
  size,
  unit: 'hash',
  async open() {
    const nodes = canonicalNodes(size);
    const opened = await Promise.all(ONE_THREAD_FORMS.map((form) => openCpu(id, form)));
    return {
      contenders: [
        await PEERS[id](nodes),
        ...opened.map(({ engine }) => layer(`cambium ${engine.name}`, nodes, engine.hashPairs)),
      ],
      async close() {
        await Promise.all(opened.map(({ backend }) => backend.close()));
      },
    };
  },
});

const threads = (id: Id, size: number, form: CpuForm): BenchCase => ({
  name: `${id} pairs, layer of ${size}, wasm ${form.features[0]}, threads`,
  size,
  unit: 'hash',
  async open() {
    const nodes = canonicalNodes(size);
    const opened = await Promise.all([0, 1].map((more) => openCpu(id, { ...form, threads: more })));
    return {
      contenders: opened.map(({ backend }, i) =>
        layer(`cambium, ${i + 1} thread${i ? 's' : ''}`, nodes, (input, out) =>
          backend.pairs({ nodes: input, out, samples: 0 }),
        ),
      ),
      async close() {
        await Promise.all(opened.map(({ backend }) => backend.close()));
      },
    };
  },
});

const IDS = Object.keys(PEERS) as readonly Id[];

export const cases: readonly BenchCase[] = IDS.flatMap((id) =>
  SIZES.flatMap((size) => [
    againstPeer(id, size),
    ...ONE_THREAD_FORMS.map((form) => threads(id, size, form)),
  ]),
);
