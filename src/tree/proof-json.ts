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
import { type Digest, toHex } from '../bytes.js';
import {
  checkNames,
  type Fields,
  malformed,
  PROOF_FORMAT,
  readDigest,
  readDigests,
  readFields,
  readHeader,
  readPosition,
  refuse,
  writePosition,
} from './json-fields.js';
import type { MultiProof, Proof } from './proof.js';
import { checkIndex, checkPadding, checkShape, MAX_DEPTH, type Shape, toIndex } from './shape.js';

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
  const hash = readHeader(fields);
  const root = readDigest(fields.root, 'root');
  const { depth, size, padding } = readShape(fields);
  const shape: Shape = { depth, size, padding };
  const tree: ProofTree = { hash, root, depth, size: toIndex(size), padding };
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
