/**
 * Proofs of indexed trees as `cambium-proof/1`.
 *
 * ```json
 * {
 *   "format": "cambium-proof/1", "hash": "poseidon2-bn254", "root": "0x…", "depth": 20, "scheme": "typescript",
 *   "updatable": false, "value": "0x…", "present": false, "index": 5,
 *   "leaf": { "value": "0x…", "nextIndex": 9, "nextValue": "0x…" }, "siblings": ["0x…", …]
 * }
 * ```
 *
 * A leaf of an updatable tree has `data` behind its value.
 */
import { type Digest, toHex } from '../../bytes.js';
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
  writePosition,
} from '../json-fields.js';
import { MAX_DEPTH, toIndex } from '../shape.js';
import { SCHEMES } from './leaf-form.js';
import type { IndexedLeaf, IndexedProof, IndexedScheme } from './types.js';

/** What a proof file says. A verifier compares it with what it knows, and never believes it. */
export interface IndexedProofDocument extends IndexedProof {
  /** Id of the hash. */
  readonly hash: string;
  /** 32 bytes. */
  readonly root: Digest;
  /** Levels above the leaves, 1 to 64. */
  readonly depth: number;
  readonly scheme: IndexedScheme;
  readonly updatable: boolean;
  /** The value that the proof is about, 32 bytes. */
  readonly value: Digest;
  /** Whether it is in the tree, or absent. */
  readonly present: boolean;
}

const FIELDS = [
  'format',
  'hash',
  'root',
  'depth',
  'scheme',
  'updatable',
  'value',
  'present',
  'index',
  'leaf',
  'siblings',
];

/**
 * A proof as `cambium-proof/1`, indented, with a line end.
 *
 * @example
 * ```ts
 * const proof = await tree.proveAbsence(value);
 * const { depth, scheme, updatable } = tree;
 * indexedProofToJson({ hash: hasher.spec.id, root, depth, scheme, updatable, value, present: false, ...proof });
 * ```
 */
export function indexedProofToJson(document: IndexedProofDocument): string {
  const { hash, root, depth, scheme, updatable, value, present, index, leaf, siblings } = document;
  const written = {
    format: PROOF_FORMAT,
    hash,
    root: toHex(root),
    depth,
    scheme,
    updatable,
    value: toHex(value),
    present,
    index: writePosition(index),
    leaf: {
      value: toHex(leaf.value),
      ...(leaf.data && { data: toHex(leaf.data) }),
      nextIndex: writePosition(leaf.nextIndex),
      nextValue: toHex(leaf.nextValue),
    },
    siblings: siblings.map(toHex),
  };
  return `${JSON.stringify(written, undefined, 2)}\n`;
}

/**
 * Reads what {@link indexedProofToJson} writes. The result is well-formed, not verified: that takes `verifyMembership`
 * or `verifyAbsence` with root, depth, scheme and value from elsewhere.
 *
 * @throws {CambiumError} `MALFORMED`, with the field in its message: no JSON, a missing or unknown field, a value out of
 *   range.
 */
export function indexedProofFromJson(text: string): IndexedProofDocument {
  const fields = readFields(text);
  checkNames(fields, FIELDS);
  const hash = readHeader(fields);
  const { depth, scheme, updatable, present } = fields;
  if (!Number.isInteger(depth) || (depth as number) < 1 || (depth as number) > MAX_DEPTH) {
    throw malformed('depth', `expected a whole number from 1 to ${MAX_DEPTH}`);
  }
  if (!SCHEMES.includes(scheme as IndexedScheme)) throw malformed('scheme', `expected ${SCHEMES.join(', ')}`);
  const siblings = readDigests(fields.siblings, 'siblings');
  if (siblings.length !== depth) {
    throw malformed('siblings', `expected ${depth}, one a level, got ${siblings.length}`);
  }
  return {
    hash,
    root: readDigest(fields.root, 'root'),
    depth: depth as number,
    scheme: scheme as IndexedScheme,
    updatable: readBoolean(updatable, 'updatable'),
    value: readDigest(fields.value, 'value'),
    present: readBoolean(present, 'present'),
    index: toIndex(readPosition(fields.index, 'index')),
    leaf: readLeaf(fields.leaf, updatable === true),
    siblings,
  };
}

function readLeaf(value: unknown, updatable: boolean): IndexedLeaf {
  if (typeof value !== 'object' || value === null) throw malformed('leaf', 'expected an object');
  const fields = value as Fields;
  checkNames(fields, ['value', ...(updatable ? ['data'] : []), 'nextIndex', 'nextValue']);
  return {
    value: readDigest(fields.value, 'leaf.value'),
    ...(updatable && { data: readDigest(fields.data, 'leaf.data') }),
    nextIndex: toIndex(readPosition(fields.nextIndex, 'leaf.nextIndex')),
    nextValue: readDigest(fields.nextValue, 'leaf.nextValue'),
  };
}

function readBoolean(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw malformed(name, 'expected true or false');
  return value;
}
