/**
 * A batch of fresh entries into an empty Smt in memory, against nothing but hashing as many pairs on the same threads: what
 * is above 1 is sorting, bookkeeping and the store.
 */
import { concatBytes } from '../../dist/bytes.js';
import type { Hasher } from '../../dist/hasher.js';
import { memoryStore } from '../../dist/store/memory.js';
import type { SmtScheme } from '../../dist/tree/smt/types.js';
import { verifySmtProof } from '../../dist/tree/smt/verify.js';
import { Smt } from '../../dist/tree/smt.js';
import type { BenchCase } from '../case.ts';
import { type CpuForm, ONE_THREAD_FORMS, openHasher, testBytes } from '../contenders.ts';
import type { Contender } from '../timing.ts';

const ENTRY_BYTES = 64;
/** Most hashes above the least possible. */
const MOST_HASHES = 1.05;

/** Keys and values whose elements are below the modulus. */
function freshEntries(count: number): Uint8Array<ArrayBuffer> {
  const entries = testBytes(count * ENTRY_BYTES);
  for (let at = 7; at < entries.length; at += 8) entries[at]! &= 0x7f;
  return entries;
}

/** One hash for each leaf and for each node above one. */
function leastHashes(entries: Uint8Array): number {
  const view = new DataView(entries.buffer);
  const leaves = BigUint64Array.from({ length: entries.length / ENTRY_BYTES }, (_, i) =>
    view.getBigUint64(i * ENTRY_BYTES + 24, true),
  ).sort();
  let nodes = 64;
  for (let i = 1; i < leaves.length; i++) nodes += (leaves[i - 1]! ^ leaves[i]!).toString(2).length - 1;
  return leaves.length + nodes;
}

async function checkedHashes(hasher: Hasher, scheme: SmtScheme, entries: Uint8Array): Promise<number> {
  const tree = await Smt.open(hasher, memoryStore(), { scheme });
  const before = hasher.info.counters.hashesCpu;
  const root = await tree.insertMany(entries);
  // Leaves in a domain are hashed beside the hasher, and not counted there.
  const leaves = scheme === 'v0.25' ? entries.length / ENTRY_BYTES : 0;
  const hashes = hasher.info.counters.hashesCpu - before + leaves;
  const least = leastHashes(entries);
  if (hashes < least || hashes > MOST_HASHES * least)
    throw new Error(`${hashes} hashes, the least is ${least}`);
  const [key, value] = [entries.subarray(0, 32), entries.subarray(32, 64)];
  if (!verifySmtProof(hasher, { scheme, root, key, value }, await tree.prove(key)))
    throw new Error('wrong root');
  return hashes;
}

function contenders(hasher: Hasher, scheme: SmtScheme, entries: Uint8Array, hashes: number): Contender[] {
  const pairs = concatBytes(
    ...Array.from({ length: Math.ceil((hashes * 64) / entries.length) }, () => entries),
  );
  const nodes = pairs.subarray(0, hashes * 64);
  const out = new Uint8Array(hashes * 32);
  let tree: Smt;
  // They agree on nothing: the tree has been checked.
  const output = () => new Uint8Array(0);
  return [
    { name: 'hashing alone', run: () => hasher.hashPairs(nodes, out), output },
    {
      name: `cambium Smt ${hasher.info.cpu.engine}`,
      async prepare() {
        tree = await Smt.open(hasher, memoryStore(), { scheme });
      },
      run: () => tree.insertMany(entries),
      output,
    },
  ];
}

const batch = (id: string, scheme: SmtScheme, count: number, form: CpuForm): BenchCase => ({
  name: `smt ${scheme}, ${count} fresh entries, ${form.threads + 1} threads`,
  size: count,
  unit: 'entry',
  async open() {
    const hasher = await openHasher(id, form);
    const entries = freshEntries(count);
    const hashes = await checkedHashes(hasher, scheme, entries);
    return { contenders: contenders(hasher, scheme, entries, hashes), close: () => hasher.close() };
  },
});

const FORM = ONE_THREAD_FORMS[0]!;

export const cases: readonly BenchCase[] = [
  batch('poseidon2-miden', 'v0.24', 10_000, FORM),
  batch('poseidon2-miden', 'v0.25', 10_000, FORM),
  batch('poseidon2-miden', 'v0.25', 10_000, { ...FORM, threads: 1 }),
  batch('rpo', 'v0.21', 1000, FORM),
];
