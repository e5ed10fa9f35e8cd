/** Hashes over the Goldilocks field: layers of pairs, each hash against RPO, and two threads against one. */
import type { BenchCase } from '../case.ts';
import { type CpuForm, layer, ONE_THREAD_FORMS, openCpu, testBytes, WASM_SCALAR } from '../contenders.ts';
import { MIDEN_SDK, midenSdk } from '../miden.ts';
import type { Contender } from '../timing.ts';

const PAIRS = 2 ** 12;

/** Nodes whose elements are below the modulus. */
function canonicalNodes(): Uint8Array<ArrayBuffer> {
  const nodes = testBytes(PAIRS * 64);
  for (let at = 7; at < nodes.length; at += 8) nodes[at]! &= 0x7f;
  return nodes;
}

/** One call a pair, its elements in arrays that exist already; taking digests out is not charged. */
async function sdkContender(nodes: Uint8Array): Promise<Contender> {
  const { Felt, FeltArray, Rpo256 } = await midenSdk();
  const words = new BigUint64Array(nodes.buffer, nodes.byteOffset, nodes.length / 8);
  const arrays = Array.from(
    { length: PAIRS },
    (_, i) => new FeltArray(Array.from(words.subarray(8 * i, 8 * i + 8), (word) => new Felt(word))),
  );
  return {
    name: `${MIDEN_SDK} hashElements`,
    run() {
      for (const array of arrays) Rpo256.hashElements(array).free();
    },
    output: () => Buffer.concat(arrays.map((array) => Rpo256.hashElements(array).serialize())),
  };
}

const rpo: BenchCase = {
  name: 'rpo-capacity-first pairs, one thread',
  size: PAIRS,
  unit: 'hash',
  async open() {
    const nodes = canonicalNodes();
    const forms = await Promise.all(ONE_THREAD_FORMS.map((form) => openCpu('rpo-capacity-first', form)));
    return {
      contenders: [
        await sdkContender(nodes),
        ...forms.map(({ engine }) => layer(`cambium ${engine.name}`, nodes, engine.hashPairs)),
      ],
      async close() {
        await Promise.all(forms.map(({ backend }) => backend.close()));
      },
    };
  },
};

/** Different hashes agree on nothing, so their digests are not compared. */
const uncompared = (contender: Contender): Contender => ({ ...contender, output: () => new Uint8Array(0) });

const OTHERS = ['rpx', 'poseidon-plonky2', 'poseidon2-miden', 'poseidon2-plonky3-12', 'poseidon2-plonky3-8'];

const againstRpo = (form: CpuForm): BenchCase => ({
  name: `goldilocks pairs against rpo, wasm ${form.features[0]}, one thread`,
  size: PAIRS,
  unit: 'hash',
  async open() {
    const nodes = canonicalNodes();
    const ids = ['rpo', ...OTHERS];
    const opened = await Promise.all(ids.map((id) => openCpu(id, form)));
    return {
      contenders: opened.map(({ engine }, i) =>
        uncompared(layer(`cambium ${ids[i]}`, nodes, engine.hashPairs)),
      ),
      async close() {
        await Promise.all(opened.map(({ backend }) => backend.close()));
      },
    };
  },
});

const threads: BenchCase = {
  name: 'rpo pairs, threads',
  size: PAIRS,
  unit: 'hash',
  async open() {
    const nodes = canonicalNodes();
    const forms = [0, 1].map((more) => openCpu('rpo', { ...WASM_SCALAR, threads: more }));
    const opened = await Promise.all(forms);
    return {
      contenders: opened.map(({ backend }, i) =>
        layer(`cambium rpo wasm scalar, ${i + 1} thread${i ? 's' : ''}`, nodes, (input, out) =>
          backend.pairs({ nodes: input, out, samples: 0 }),
        ),
      ),
      async close() {
        await Promise.all(opened.map(({ backend }) => backend.close()));
      },
    };
  },
};

export const cases: readonly BenchCase[] = [rpo, ...ONE_THREAD_FORMS.map(againstRpo), threads];
