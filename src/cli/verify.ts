import { Command } from 'commander';
import type { Padding } from '../backend/types.js';
import { type Digest, toHex } from '../bytes.js';
import { type HashId, loadHash } from '../hash/registry.js';
import { verifyProof } from '../tree/proof.js';
import { type ProofDocument, proofFromJson } from '../tree/proof-json.js';
import { checkIndex, checkShape } from '../tree/shape.js';
import { EXIT, InputError } from './exit.js';
import { openInput, readText } from './input.js';
import { hashOption, jsonOption, paddingOption, parseDepth, parseDigest, parsePosition } from './options.js';
import { print, printJson } from './output.js';

interface VerifyFlags {
  readonly root: Digest;
  readonly leaf: Digest;
  readonly index: bigint;
  readonly depth: number;
  readonly size?: bigint;
  readonly hash: HashId;
  readonly padding: Padding;
  readonly json?: boolean;
}

/** `cambium verify PROOF.json --root HEX --leaf HEX --index I --depth D [--size N]`. */
export function verifyCommand(signal: AbortSignal): Command {
  return new Command('verify')
    .description('check a proof against what you know of the tree; exit code 1 when it is false')
    .argument('<proof>', 'proof file, - for standard input')
    .requiredOption('--root <hex>', 'root of the tree', parseDigest)
    .requiredOption('--leaf <hex>', 'digest of the leaf, 32 bytes', parseDigest)
    .requiredOption('--index <i>', 'position of the leaf, from 0', parsePosition)
    .requiredOption('--depth <d>', 'levels above the leaves', parseDepth)
    .option('--size <n>', 'number of leaves; needed for padding promote and duplicate', parsePosition)
    .addOption(hashOption())
    .addOption(paddingOption())
    .addOption(jsonOption())
    .action(async (path: string, flags: VerifyFlags) => {
      checkFlags(flags);
      const document = await readProof(path, signal);
      const why = differing(document, flags) ?? (await refuted(document, flags));
      if (flags.json) printJson(why === undefined ? { valid: true } : { valid: false, why });
      else print(why === undefined ? 'the proof is valid' : `the proof is not valid: ${why}`);
      process.exitCode = why === undefined ? EXIT.fine : EXIT.proofFalse;
    });
}

/** Refuses a tree that cannot be: that is the user's mistake, not a false proof. */
function checkFlags(flags: VerifyFlags): void {
  try {
    checkIndex(flags.index, 'index', checkShape(flags));
  } catch (error) {
    throw new InputError(`--${(error as Error).message}`, { cause: error });
  }
}

async function readProof(path: string, signal: AbortSignal): Promise<ProofDocument> {
  const input = await openInput(path, signal);
  const text = await readText(input);
  try {
    const document = proofFromJson(text);
    if ('index' in document) return document;
  } catch (error) {
    throw new InputError(`${input.name}: ${(error as Error).message}`, { cause: error });
  }
  throw new InputError(`${input.name}: a proof of several leaves, expected one of a single leaf`);
}

/** The first thing that the file says differently from the flags; undefined when it agrees with all of them. */
function differing(document: ProofDocument, flags: VerifyFlags): string | undefined {
  const pairs: [
    name: string,
    inFile: string | number | bigint,
    asked: string | number | bigint | undefined,
  ][] = [
    ['hash', document.hash, flags.hash],
    ['root', toHex(document.root), toHex(flags.root)],
    ['leaf', toHex(document.leaf), toHex(flags.leaf)],
    ['index', BigInt(document.index), flags.index],
    ['depth', document.depth, flags.depth],
    ['size', BigInt(document.size), flags.size],
    ['padding', document.padding, flags.padding],
  ];
  const found = pairs.find(([, inFile, asked]) => asked !== undefined && inFile !== asked);
  return found && `${found[0]} differs, the file says ${found[1]}, expected ${found[2]}`;
}

/** Why the siblings do not lead to the root; undefined when they do. */
async function refuted(document: ProofDocument, flags: VerifyFlags): Promise<string | undefined> {
  const valid = verifyProof(await loadHash(flags.hash), flags, document.siblings);
  return valid ? undefined : 'its siblings do not lead from the leaf to the root';
}
