/** SSZ: registries from serialized bytes, the published proof benchmark, `@chainsafe/ssz` on our hasher. */
import {
  createProof,
  type Hasher as PeerHasher,
  ProofType,
  type SingleProof,
  setHasher,
} from '@chainsafe/persistent-merkle-tree';
import { hasher as asSha256 } from '@chainsafe/persistent-merkle-tree/hasher/as-sha256';
import { hasher as hashtree } from '@chainsafe/persistent-merkle-tree/hasher/hashtree';
import * as peer from '@chainsafe/ssz';
import { createHasher, type Hasher } from '../../dist/index.js';
import * as ssz from '../../dist/ssz/index.js';
import type { BenchCase } from '../case.ts';
import { testBytes } from '../contenders.ts';
import type { Contender } from '../timing.ts';

const VALIDATORS = 2 ** 14;
const VALIDATOR_BYTES = 121;
const BALANCES = 2 ** 17;

const validatorType = ssz.list(
  ssz.container({
    pubkey: ssz.byteVector(48),
    withdrawalCredentials: ssz.byteVector(32),
    effectiveBalance: ssz.uint64,
    slashed: ssz.boolean,
    activationEligibilityEpoch: ssz.uint64,
    activationEpoch: ssz.uint64,
    exitEpoch: ssz.uint64,
    withdrawableEpoch: ssz.uint64,
  }),
  2n ** 40n,
);

const peerUint64 = new peer.UintNumberType(8, { clipInfinity: true });
const peerValidators = new peer.ListCompositeType(
  new peer.ContainerType({
    pubkey: new peer.ByteVectorType(48),
    withdrawalCredentials: new peer.ByteVectorType(32),
    effectiveBalance: peerUint64,
    slashed: new peer.BooleanType(),
    activationEligibilityEpoch: peerUint64,
    activationEpoch: peerUint64,
    exitEpoch: peerUint64,
    withdrawableEpoch: peerUint64,
  }),
  2 ** 40,
);

function validatorBytes(): Uint8Array {
  const bytes = testBytes(VALIDATORS * VALIDATOR_BYTES);
  for (let at = 0; at < bytes.length; at += VALIDATOR_BYTES) {
    bytes[at + 88]! &= 1;
    // Numbers that a double holds, and so the peer's fastest integers.
    for (const epoch of [80, 89, 97, 105, 113]) bytes.fill(0, at + epoch + 6, at + epoch + 8);
  }
  return bytes;
}

/** A root as a contender's output. */
function rooted(name: string, root: () => Uint8Array): Contender {
  let made: Uint8Array = new Uint8Array(0);
  const run = (): void => {
    made = root();
  };
  return { name, run, output: () => made };
}

/** The peer with a hasher of its package's, or of ours, in place. */
function onHasher(name: string, hasher: PeerHasher, root: () => Uint8Array): Contender {
  return rooted(`@chainsafe/ssz 1.9.0, ${name}`, () => {
    setHasher(hasher);
    return root();
  });
}

async function openHasher(): Promise<{ hasher: Hasher; close(): Promise<void> }> {
  const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
  return { hasher, close: () => hasher.close() };
}

/** A hasher as on a machine without the native package. */
async function openWasmHasher(): Promise<Hasher> {
  process.env.CAMBIUM_CPU = 'no-native';
  try {
    return await createHasher('sha256', { backend: 'cpu', threads: 0 });
  } finally {
    delete process.env.CAMBIUM_CPU;
  }
}

/** One hasher of ours a case: with two of them in one process, calls that are fast alone are so no longer. */
function validators(where: string, open: () => Promise<Hasher>): BenchCase {
  return {
    name: `ssz root of 2^14 validators from bytes, ${where}`,
    size: 1,
    unit: 'tree',
    async open() {
      const hasher = await open();
      const bytes = validatorBytes();
      const value = peerValidators.deserialize(bytes);
      const root = (): Uint8Array => peerValidators.hashTreeRoot(value);
      const ours = ssz.persistentMerkleTreeHasher(hasher);
      return {
        contenders: [
          onHasher('hashtree, struct', hashtree, root),
          onHasher('as-sha256, struct', asSha256, root),
          onHasher(`${ours.name}, struct`, ours, root),
          rooted(`cambium ${hasher.info.cpu.engine}`, () =>
            ssz.hashTreeRootSync(hasher, validatorType, ssz.serialized(bytes)),
          ),
        ],
        close: () => hasher.close(),
      };
    },
  };
}

const balances: BenchCase = {
  name: 'ssz root of 2^17 balances from bytes',
  size: 1,
  unit: 'tree',
  async open() {
    const { hasher, close } = await openHasher();
    const bytes = testBytes(8 * BALANCES);
    for (let at = 0; at < bytes.length; at += 8) bytes.fill(0, at + 6, at + 8);
    const theirs = new peer.ListBasicType(peerUint64, 2 ** 40);
    const value = theirs.deserialize(bytes);
    const type = ssz.list(ssz.uint64, 2n ** 40n);
    return {
      contenders: [
        onHasher('hashtree, struct', hashtree, () => theirs.hashTreeRoot(value)),
        rooted(`cambium ${hasher.info.cpu.engine}`, () =>
          ssz.hashTreeRootSync(hasher, type, ssz.serialized(bytes)),
        ),
      ],
      close,
    };
  },
};

const TRANSACTIONS = [0, 3, 6, 9].map((first) => Uint8Array.of(first, first + 1, first + 2));
const transactionsType = ssz.list(ssz.byteList(2 ** 30), 2 ** 20);

function peerTransactions() {
  return new peer.ListCompositeType(new peer.ByteListType(2 ** 30), 2 ** 20);
}

const publishedRoot: BenchCase = {
  name: 'ssz published proof benchmark: root',
  size: 1,
  unit: 'tree',
  async open() {
    const { hasher, close } = await openHasher();
    const theirs = peerTransactions();
    return {
      contenders: [
        onHasher('hashtree', hashtree, () => theirs.hashTreeRoot(TRANSACTIONS)),
        rooted(`cambium ${hasher.info.cpu.engine}`, () =>
          ssz.hashTreeRootSync(hasher, transactionsType, TRANSACTIONS),
        ),
      ],
      close,
    };
  },
};

const publishedProof: BenchCase = {
  name: 'ssz published proof benchmark: proof of element 1',
  size: 1,
  unit: 'tree',
  async open() {
    const { hasher, close } = await openHasher();
    const theirs = peerTransactions();
    let branch: readonly Uint8Array[] = [];
    return {
      contenders: [
        onHasher('hashtree, value_toTree', hashtree, () => {
          const gindex = 2n ** 21n + 1n;
          const proof = createProof(theirs.value_toTree(TRANSACTIONS), { type: ProofType.single, gindex });
          return Buffer.concat((proof as SingleProof).witnesses);
        }),
        {
          name: `cambium ${hasher.info.cpu.engine}`,
          run: async () => {
            ({ branch } = await ssz.createProof(hasher, transactionsType, TRANSACTIONS, [1]));
          },
          output: () => Buffer.concat(branch),
        },
      ],
      close,
    };
  },
};

export const cases: readonly BenchCase[] = [
  validators('native package', async () => (await openHasher()).hasher),
  validators('WASM alone', openWasmHasher),
  balances,
  publishedRoot,
  publishedProof,
];
