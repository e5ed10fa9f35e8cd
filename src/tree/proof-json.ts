/**
 * `cambium-proof/1`: the one JSON form of proofs, for command line, page and cluster.
 *
 * ```json
 * {
 *   "format": "cambium-proof/1", "hash": "sha256", "root": "0x…", "depth": 20, "size": 700000, "padding": "zero",
 *   "index": 5, "leaf": "0x…", "siblings": ["0x…", …]
 * }
 * ```
 *
 * A proof of several leaves has `indices`, `leaves` and `nodes` in place of the last three. Digests are 64 lower-case
 * hexadecimal digits behind `0x`. Positions and sizes are numbers up to 2^53 - 1, above that decimal strings.
 */
import type { Padding } from '../backend/types.js';
import { DIGEST_BYTES, type Digest, fromHex, toHex } from '../bytes.js';
import { CambiumError } from '../errors.js';
import type { MultiProof, Proof } from './proof.js';
import { checkIndex, checkPadding, checkShape, MAX_DEPTH, type Shape, toIndex } from './shape.js';

/** The name of the format, the value of its field `format`. */
export const PROOF_FORMAT = 'cambium-proof/1';

/** What a proof file says about its tree. A verifier compares it with what it knows, and never believes it. */
export interface ProofTree {
  /** Id of the hash. */
  readonly hash: string;
  /** 32 bytes. */
  readonly root: Digest;
  /** Levels above the leaves, 0 to 64. */
  readonly depth: number;
  /** Number of leaves. */
  readonly size: number | bigint;
  readonly padding: Padding;
}

/** A proof of one leaf, with its tree. */
export interface ProofDocument extends ProofTree, Proof {}

/** A proof of several leaves, with their tree. */
export interface MultiProofDocument extends ProofTree, MultiProof {}

const TREE_FIELDS = ['format', 'hash', 'root', 'depth', 'size', 'padding'];
const PROOF_FIELDS = ['index', 'leaf', 'siblings'];
const MULTIPROOF_FIELDS = ['indices', 'leaves', 'nodes'];

/**
 * A proof as `cambium-proof/1`, indented, with a line end.
 *
 * @example
 * ```ts
 * const { root, depth, size, padding } = tree;
 * proofToJson({ hash: hasher.spec.id, root, depth, size, padding, ...tree.prove(5) });
 * ```
 */
export function proofToJson(document: ProofDocument | MultiProofDocument): string {
  const { hash, root, depth, size, padding } = document;
  const tree = { format: PROOF_FORMAT, hash, root: toHex(root), depth, size: writePosition(size), padding };
  const proof =
    'indices' in document
      ? {
          indices: document.indices.map(writePosition),
          leaves: document.leaves.map(toHex),
          nodes: document.nodes.map(toHex),
        }
      : {
          index: writePosition(document.index),
          leaf: toHex(document.leaf),
          siblings: document.siblings.map(toHex),
        };
  return `${JSON.stringify({ ...tree, ...proof }, undefined, 2)}\n`;
}

/**
 * Reads `cambium-proof/1`. The result is well-formed, not verified: that takes {@link verifyProof} or
 * {@link verifyMultiproof} with root, positions, depth and size from elsewhere.
 *
 * @throws {CambiumError} `MALFORMED`, with the field in its message: no JSON, a missing or unknown field, a value out of
 *   range, a shape that no tree has.
 * @example
 * ```ts
 * const proof = proofFromJson(text);
 * if ('index' in proof) verifyProof(hasher, { root, leaf, index, depth }, proof.siblings);
 * ```
 */
export function proofFromJson(text: string): ProofDocument | MultiProofDocument {
  const fields = readFields(text);
  const several = 'indices' in fields;
  checkNames(fields, [...TREE_FIELDS, ...(several ? MULTIPROOF_FIELDS : PROOF_FIELDS)]);
  if (fields.format !== PROOF_FORMAT) {
    throw malformed(
      'format',
      `expected ${JSON.stringify(PROOF_FORMAT)}, got ${JSON.stringify(fields.format)}`,
    );
  }
  if (typeof fields.hash !== 'string' || !fields.hash) throw malformed('hash', 'expected the id of a hash');
  const root = readDigest(fields.root, 'root');
  const { depth, size, padding } = readShape(fields);
  const shape: Shape = { depth, size, padding };
  const tree: ProofTree = { hash: fields.hash, root, depth, size: toIndex(size), padding };
  if (!several) {
    const index = toIndex(readIndex(fields.index, 'index', shape));
    const leaf = readDigest(fields.leaf, 'leaf');
    const siblings = readDigests(fields.siblings, 'siblings');
    if (siblings.length > depth) {
      throw malformed('siblings', `expected at most ${depth}, one a level, got ${siblings.length}`);
    }
    return { ...tree, index, leaf, siblings };
  }
  const indices = readIndices(fields.indices, shape);
  const leaves = readDigests(fields.leaves, 'leaves');
  if (leaves.length !== indices.length) {
    throw malformed('leaves', `expected ${indices.length}, one for each index, got ${leaves.length}`);
  }
  return { ...tree, indices, leaves, nodes: readDigests(fields.nodes, 'nodes') };
}

type Fields = Record<string, unknown>;

function malformed(field: string, what: string): CambiumError {
  return new CambiumError('MALFORMED', `proof: ${field}: ${what}`);
}

function readFields(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CambiumError('MALFORMED', `proof: no JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CambiumError('MALFORMED', 'proof: expected a JSON object');
  }
  return value as Fields;
}

function checkNames(fields: Fields, expected: readonly string[]): void {
  for (const name of expected) if (!Object.hasOwn(fields, name)) throw malformed(name, 'missing');
  for (const name of Object.keys(fields)) {
    if (!expected.includes(name)) throw malformed(name, `no field of ${PROOF_FORMAT}`);
  }
}

function readShape(fields: Fields): { depth: number; size: bigint; padding: Padding } {
  const { depth } = fields;
  if (typeof depth !== 'number') throw malformed('depth', `expected a number from 0 to ${MAX_DEPTH}`);
  const size = readPosition(fields.size, 'size');
  return refuse(() => {
    const padding = checkPadding(fields.padding);
    checkShape({ depth, size, padding });
    return { depth, size, padding };
  });
}

function readIndices(value: unknown, shape: Shape): (number | bigint)[] {
  if (!Array.isArray(value) || !value.length) throw malformed('indices', 'expected an array with an index');
  const indices = value.map((index, i) => readIndex(index, `indices[${i}]`, shape));
  indices.forEach((index, i) => {
    if (i > 0 && index <= indices[i - 1]!) {
      throw malformed(`indices[${i}]`, `expected more than the ${indices[i - 1]} before it, got ${index}`);
    }
  });
  return indices.map(toIndex);
}

function readIndex(value: unknown, name: string, shape: Shape): bigint {
  const index = readPosition(value, name);
  return refuse(() => checkIndex(index, name, shape));
}

/** Turns the complaint of a check, which names its field, into `MALFORMED`. */
function refuse<T>(check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw new CambiumError('MALFORMED', `proof: ${(cause as Error).message}`, { cause });
  }
}

function writePosition(position: number | bigint): number | string {
  const exact = toIndex(BigInt(position));
  return typeof exact === 'number' ? exact : String(exact);
}

/** One position has one form: a JSON number where that is exact, else decimal digits. */
function readPosition(value: unknown, name: string): bigint {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return BigInt(value as number);
  if (typeof value === 'string' && /^[1-9][0-9]{0,19}$/.test(value)) {
    const position = BigInt(value);
    if (position > BigInt(Number.MAX_SAFE_INTEGER)) return position;
  }
  throw malformed(
    name,
    `expected a whole number, above 2^53 - 1 as a decimal string, got ${JSON.stringify(value)}`,
  );
}

function readDigests(value: unknown, name: string): Digest[] {
  if (!Array.isArray(value)) throw malformed(name, 'expected an array of digests');
  return value.map((digest, i) => readDigest(digest, `${name}[${i}]`));
}

function readDigest(value: unknown, name: string): Digest {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/.test(value)) {
    throw malformed(name, `expected 0x and ${2 * DIGEST_BYTES} lower-case hexadecimal digits`);
  }
  return fromHex(value);
}
