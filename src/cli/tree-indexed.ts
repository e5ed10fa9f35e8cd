/** `cambium tree insert|prove-absence|verify-value`: indexed trees in a folder. */
import { Command, Option } from 'commander';
import { DIGEST_BYTES, type Digest, toHex } from '../bytes.js';
import { type HashId, hashSpec } from '../hash/registry.js';
import type { Hasher } from '../hasher.js';
import type { LeafFormat } from '../leaf-format.js';
import { SCHEMES } from '../tree/indexed/leaf-form.js';
import {
  type IndexedProofDocument,
  indexedProofFromJson,
  indexedProofToJson,
} from '../tree/indexed/proof-json.js';
import { type VerifyingHasher, verifyAbsence, verifyMembership } from '../tree/indexed/verify.js';
import type { IndexedScheme, IndexedTree } from '../tree/indexed.js';
import { EXIT, InputError } from './exit.js';
import { openInput, readText } from './input.js';
import { inputLeaves } from './leaves.js';
import {
  addHasherOptions,
  type HasherFlags,
  hashOption,
  jsonOption,
  leavesOption,
  parseCount,
  parseDepth,
  parseDigest,
} from './options.js';
import { print, printJson } from './output.js';
import { withProgress } from './progress.js';
import { writeProof } from './prove.js';
import { addStoreOptions, batchesOf, printTree } from './tree-common.js';
import { type StoreFlags, withIndexedTree } from './tree-store.js';

/** Values of one commit: bounds the memory of a batch, and how much an interruption can lose. */
const BATCH_VALUES = 2 ** 14;

interface InsertFlags extends StoreFlags, HasherFlags {
  readonly leaves: LeafFormat;
  readonly batch: number;
}

export const schemeOption = (): Option =>
  new Option('--scheme <kind>', 'how leaves and nodes of an indexed tree are hashed').choices(SCHEMES);

/** `cambium tree insert FILE --store DIR`. */
export function insertCommand(signal: AbortSignal): Command {
  const command = new Command('insert')
    .description(
      'insert the values of a file into an indexed tree; slots with their data into an updatable one',
    )
    .argument('<file>', 'file with the values, - for standard input')
    .addOption(leavesOption())
    .option('--batch <n>', 'values that are inserted together', parseCount(1, 2 ** 20), BATCH_VALUES);
  return addHasherOptions(addStoreOptions(command), { hash: false }).action(
    async (file: string, flags: InsertFlags) => {
      const input = await openInput(file, signal);
      await withIndexedTree(flags, async (tree, hasher) => {
        const [before, began] = [tree.size, performance.now()];
        const entryBytes = (tree.updatable ? 2 : 1) * DIGEST_BYTES;
        const insert = async (): Promise<void> => {
          const values = inputLeaves(input, flags.leaves, hasher, signal);
          for await (const batch of batchesOf(values, flags.batch * entryBytes)) {
            if (batch.length % entryBytes) {
              throw new InputError(`${input.name}: a slot without its data at the end`);
            }
            await tree.insert(batch, { witnesses: false, signal, durable: true });
          }
        };
        await (flags.json ? insert() : withProgress(input, insert));
        const done = { inserted: tree.size - before, seconds: (performance.now() - began) / 1000 };
        await printTree(flags, tree, hasher.spec.id, done);
      });
    },
  );
}

/** `cambium tree prove-absence --value HEX --store DIR`. */
export function proveAbsenceCommand(): Command {
  const command = new Command('prove-absence')
    .description('prove that a value is not in an indexed tree')
    .requiredOption('--value <hex>', 'the value, 32 bytes', parseDigest)
    .option('--out <proof.json>', 'write the proof there instead of to standard output');
  return addStoreOptions(command).action(
    async (flags: StoreFlags & { readonly value: Digest; readonly out?: string }) => {
      await withIndexedTree(flags, (tree, hasher) => writeIndexedProof(tree, hasher, flags, false));
    },
  );
}

/** Proves that a value is in a tree, or that it is not, and writes the proof where the flags say. */
export async function writeIndexedProof(
  tree: IndexedTree,
  hasher: Hasher,
  { value, out }: { readonly value: Digest; readonly out?: string },
  present: boolean,
): Promise<void> {
  const proof = await (present ? tree.prove(value) : tree.proveAbsence(value));
  const { depth, scheme, updatable } = tree;
  const root = await tree.root();
  const text = indexedProofToJson({
    hash: hasher.spec.id,
    root,
    depth,
    scheme,
    updatable,
    value,
    present,
    ...proof,
  });
  if (out === undefined) process.stdout.write(text);
  else await writeProof(out, text);
}

interface VerifyValueFlags {
  readonly root: Digest;
  readonly value: Digest;
  readonly depth: number;
  readonly scheme: IndexedScheme;
  readonly hash: HashId;
  readonly absent?: boolean;
  readonly data?: Digest;
  readonly json?: boolean;
}

/** `cambium tree verify-value PROOF.json --root HEX --value HEX --depth D --scheme S [--absent | --data HEX]`. */
export function verifyValueCommand(signal: AbortSignal): Command {
  return new Command('verify-value')
    .description('check a proof of an indexed tree against what you know; exit code 1 when it is false')
    .argument('<proof>', 'proof file, - for standard input')
    .requiredOption('--root <hex>', 'root of the tree', parseDigest)
    .requiredOption('--value <hex>', 'the value that is in the tree, or absent', parseDigest)
    .requiredOption('--depth <d>', 'levels above the leaves', parseDepth)
    .addOption(schemeOption().makeOptionMandatory())
    .option('--absent', 'the value is not in the tree')
    .option('--data <hex>', 'what the slot holds, in an updatable tree', parseDigest)
    .addOption(hashOption())
    .addOption(jsonOption())
    .action(async (path: string, flags: VerifyValueFlags) => {
      const input = await openInput(path, signal);
      const document = readDocument(await readText(input), input.name);
      const why = differing(document, flags) ?? (await refuted(document, flags));
      if (flags.json) printJson(why === undefined ? { valid: true } : { valid: false, why });
      else print(why === undefined ? 'the proof is valid' : `the proof is not valid: ${why}`);
      process.exitCode = why === undefined ? EXIT.fine : EXIT.proofFalse;
    });
}

function readDocument(text: string, name: string): IndexedProofDocument {
  try {
    return indexedProofFromJson(text);
  } catch (error) {
    throw new InputError(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** The first thing that the file says differently from the flags. */
function differing(document: IndexedProofDocument, flags: VerifyValueFlags): string | undefined {
  const pairs: [name: string, inFile: string, asked: string][] = [
    ['hash', document.hash, flags.hash],
    ['root', toHex(document.root), toHex(flags.root)],
    ['depth', String(document.depth), String(flags.depth)],
    ['scheme', document.scheme, flags.scheme],
    ['value', toHex(document.value), toHex(flags.value)],
    ['what it proves', document.present ? 'present' : 'absent', flags.absent ? 'absent' : 'present'],
  ];
  const found = pairs.find(([, inFile, asked]) => inFile !== asked);
  return found && `${found[0]} differs, the file says ${found[1]}, expected ${found[2]}`;
}

/** Why the proof does not hold; undefined when it does. */
async function refuted(document: IndexedProofDocument, flags: VerifyValueFlags): Promise<string | undefined> {
  const { root, depth, scheme, value, data, absent = false } = flags;
  const { updatable } = document;
  if (updatable && !absent && data === undefined) {
    throw new InputError('--data: the tree is updatable, say what the slot holds');
  }
  const claim = { root, depth, scheme, updatable, value };
  const hash = await referenceHasher(flags.hash);
  const valid = absent
    ? verifyAbsence(hash, claim, document)
    : verifyMembership(hash, { ...claim, ...(data && { data }) }, document);
  return valid ? undefined : 'its leaf and siblings do not show it';
}

/** The reference is enough for one path. */
async function referenceHasher(id: HashId): Promise<VerifyingHasher> {
  const spec = hashSpec(id);
  const { hashPair, hash, hashElements } = await spec.load();
  const missing = (): never => {
    throw new InputError(`--hash ${id}: it has no such form`);
  };
  return { spec, hashPair, hash: hash ?? missing, hashElements: hashElements ?? missing };
}
