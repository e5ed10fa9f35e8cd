/** Options that several commands share, and the parsing of their values. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Padding } from '../backend/types.js';
import { DIGEST_BYTES, type Digest, fromHex } from '../bytes.js';
import { type HashId, hashes } from '../hash/registry.js';
import type { BackendChoice } from '../hasher.js';
import { type LeafFormat, MAX_LEAF_BYTES, parseLeafFormat } from '../leaf-format.js';
import { MAX_DEPTH, PADDINGS } from '../tree/shape.js';

/** Which hash runs on what. */
export interface HasherFlags {
  readonly hash: HashId;
  readonly backend: BackendChoice;
  /** Threads that hash, the main one included. */
  readonly threads?: number;
  readonly json?: boolean;
}

/** How a file becomes a tree. */
export interface TreeFlags extends HasherFlags {
  readonly leaves: LeafFormat;
  readonly padding: Padding;
  readonly depth?: number;
}

export const hashOption = (): Option =>
  new Option('--hash <id>', 'hash of leaves and nodes').choices([...hashes.keys()]).default('sha256');

export const paddingOption = (): Option =>
  new Option('--padding <kind>', 'what stands beside an odd node').choices(PADDINGS).default('zero');

export const leavesOption = (): Option =>
  new Option('--leaves <format>', 'blocks:BYTES and lines are hashed, raw32 and hex are digests')
    .argParser(parseLeaves)
    .default(parseLeafFormat('blocks:1024'), 'blocks:1024');

export const jsonOption = (): Option => new Option('--json', 'print JSON');

/** Adds the options of {@link HasherFlags}; without the hash where a tree has it already. */
export function addHasherOptions(
  command: Command,
  { hash }: { readonly hash: boolean } = { hash: true },
): Command {
  if (hash) command.addOption(hashOption());
  return command
    .addOption(
      new Option('--backend <kind>', 'where to hash').choices(['auto', 'cpu', 'gpu']).default('auto'),
    )
    .option('--threads <n>', 'CPU threads, the main one included (default: one per core)', parseCount(1, 257))
    .addOption(jsonOption());
}

/** Adds the options of {@link TreeFlags}. */
export function addTreeOptions(command: Command): Command {
  return addHasherOptions(
    command
      .addOption(leavesOption())
      .addOption(paddingOption())
      .option('--depth <n>', 'levels above the leaves, with padding zero (default: the least)', parseDepth),
  );
}

/** 0 to 64. */
export function parseDepth(text: string): number {
  return Number(parseWhole(text, 0n, BigInt(MAX_DEPTH)));
}

/** A position or a number of leaves. */
export function parsePosition(text: string): bigint {
  return parseWhole(text, 0n, 1n << BigInt(MAX_DEPTH));
}

/** A digest in hexadecimal, with or without `0x`. */
export function parseDigest(text: string): Digest {
  if (!/^(0x)?[0-9a-f]{64}$/i.test(text)) {
    throw new InvalidArgumentError(`Expected ${2 * DIGEST_BYTES} hexadecimal digits.`);
  }
  return fromHex(text);
}

/** A number of things from `least` to `most`. */
export const parseCount =
  (least: number, most: number) =>
  (text: string): number =>
    Number(parseWhole(text, BigInt(least), BigInt(most)));

function parseLeaves(text: string): LeafFormat {
  const format = parseLeafFormat(text);
  if (format) return format;
  throw new InvalidArgumentError(
    `Expected blocks:BYTES with 1 to ${MAX_LEAF_BYTES} bytes, lines, raw32 or hex.`,
  );
}

function parseWhole(text: string, least: bigint, most: bigint): bigint {
  const value = /^[0-9]{1,20}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
}
