import { Command, InvalidArgumentError } from 'commander';
import { toHex } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import { hashTreeRoot } from '../ssz/hash-tree-root.js';
import { createProof, type Place } from '../ssz/proof.js';
import { type SchemaNames, typeFromSchema } from '../ssz/schema.js';
import { type Serialized, serialized } from '../ssz/serialized.js';
import type { SszType } from '../ssz/types.js';
import { InputError } from './exit.js';
import { openInput, readBytes, readText } from './input.js';
import { addHasherOptions, type HasherFlags } from './options.js';
import { printJson, printPairs } from './output.js';
import { withHasher } from './session.js';

interface SszFlags extends Omit<HasherFlags, 'hash'> {
  readonly schema: string;
  /** A type of a schema file with several. */
  readonly type?: string;
}

interface ProveFlags extends SszFlags {
  readonly path?: Place;
  readonly gindex?: Place;
}

/** `cambium ssz root|prove --schema SCHEMA.json FILE.ssz`. */
export function sszCommand(signal: AbortSignal): Command {
  return new Command('ssz')
    .description("roots and proofs of Ethereum's SSZ objects")
    .addCommand(rootCommand(signal))
    .addCommand(proveCommand(signal));
}

function rootCommand(signal: AbortSignal): Command {
  const command = new Command('root').description('print the hash tree root of a serialized object');
  return addSszOptions(command).action(async (file: string, flags: SszFlags) => {
    await withObject(file, flags, signal, async ({ hasher, type, value }) => {
      const root = toHex(await hashTreeRoot(hasher, type, value, { signal }));
      if (flags.json) printJson({ root, bytes: value.bytes.length });
      else
        printPairs([
          ['root', root],
          ['bytes', value.bytes.length],
        ]);
    });
  });
}

function proveCommand(signal: AbortSignal): Command {
  const command = new Command('prove')
    .description('prove a part of a serialized object, as JSON')
    .option('--path <steps>', 'fields and indices, as in body.transactions.1', parsePath)
    .option('--gindex <g>', 'generalized index of the part', parseGindex);
  return addSszOptions(command).action(async (file: string, flags: ProveFlags) => {
    const place = flags.path ?? flags.gindex;
    if (place === undefined || (flags.path && flags.gindex))
      throw new InputError('expected --path or --gindex');
    await withObject(file, flags, signal, async ({ hasher, type, value }) => {
      const root = await hashTreeRoot(hasher, type, value, { signal });
      const { gindex, leaf, branch } = await refusing(() =>
        createProof(hasher, type, value, place, { signal }),
      );
      printJson({
        root: toHex(root),
        gindex: String(gindex),
        leaf: toHex(leaf),
        branch: branch.map(toHex),
      });
    });
  });
}

function addSszOptions(command: Command): Command {
  return addHasherOptions(
    command
      .argument('<file>', 'serialized object, - for standard input')
      .requiredOption('--schema <schema.json>', 'type of the object')
      .option('--type <name>', 'which type of a schema file with several'),
    { hash: false },
  );
}

interface OpenObject {
  readonly hasher: Hasher;
  readonly type: SszType;
  readonly value: Serialized;
}

async function withObject(
  file: string,
  flags: SszFlags,
  signal: AbortSignal,
  work: (object: OpenObject) => Promise<void>,
): Promise<void> {
  const type = await readType(flags, signal);
  const value = serialized(await readBytes(await openInput(file, signal)));
  await withHasher({ ...flags, hash: 'sha256' }, (hasher) => work({ hasher, type, value }));
}

/** A file with one schema, or with several by name under `types` or `structs`. */
async function readType({ schema: path, type: name }: SszFlags, signal: AbortSignal): Promise<SszType> {
  const text = await readText(await openInput(path, signal));
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new InputError(`${path}: no JSON: ${(error as Error).message}`, { cause: error });
  }
  if (name === undefined) return typeFromSchema(schema);
  const { types, structs } = Object(schema) as Readonly<Record<'types' | 'structs', SchemaNames | undefined>>;
  const names = { ...types, ...structs };
  if (!Object.hasOwn(names, name)) throw new InputError(`--type ${name}: ${path} has no such type`);
  return typeFromSchema(names[name], names);
}

/** Digits are indices, all else is a name. */
function parsePath(text: string): Place {
  return text.split('.').map((step) => (/^[0-9]+$/.test(step) ? BigInt(step) : step));
}

function parseGindex(text: string): Place {
  if (!/^[1-9][0-9]*$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 1.');
  return BigInt(text);
}

/** What the library says of a place came from the command line here. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) {
      throw new InputError(error.message, { cause: error });
    }
    throw error;
  }
}
