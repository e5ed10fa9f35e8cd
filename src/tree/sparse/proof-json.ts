/**
 * The JSON form of proofs of one key of a sparse tree.
 */
import { type Digest, fromHex, toHex } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { LAYOUTS, type SparseLayout } from './layout.js';

const FORMAT = 'cambium-sparse-proof/1';

/** A proof that a key has a leaf, or none, with what it is about. */
export interface SparseProofDocument {
  /** Id of the hash. */
  readonly hash: string;
  readonly layout: SparseLayout;
  /** Null for an empty tree without a root. */
  readonly root: Uint8Array | null;
  readonly key: Uint8Array;
  /** Null when the key is absent. */
  readonly leaf: Uint8Array | null;
  readonly path: Uint8Array;
}

/**
 * JSON text of a proof, bytes in hexadecimal.
 *
 * @example
 * ```ts
 * const { key, leaf, path } = await tree.prove(own);
 * sparseProofToJson({ hash: 'blake3', layout: tree.layout, root: await tree.root(), key, leaf, path });
 * ```
 */
export function sparseProofToJson({ hash, layout, root, key, leaf, path }: SparseProofDocument): string {
  const document = {
    format: FORMAT,
    hash,
    layout,
    root: root && toHex(root),
    key: toHex(key),
    leaf: leaf && toHex(leaf),
    path: toHex(path),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/**
 * Reads what {@link sparseProofToJson} wrote. It checks the form alone; `verifySparseProof` checks the proof.
 *
 * @throws {CambiumError} `MALFORMED` that names the field.
 */
export function sparseProofFromJson(text: string): SparseProofDocument {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw malformed('the text is no JSON', error);
  }
  if (typeof document !== 'object' || document === null) throw malformed('expected an object');
  const fields = document as Readonly<Record<string, unknown>>;
  if (fields.format !== FORMAT) throw malformed(`format: expected ${FORMAT}, got ${String(fields.format)}`);
  const layout = LAYOUTS.find((name) => name === fields.layout);
  if (!layout) throw malformed(`layout: expected one of ${LAYOUTS.join(', ')}, got ${String(fields.layout)}`);
  if (typeof fields.hash !== 'string') throw malformed('hash: expected a string');
  return {
    hash: fields.hash,
    layout,
    root: fields.root === null ? null : hexField(fields, 'root', 32),
    key: hexField(fields, 'key'),
    leaf: fields.leaf === null ? null : hexField(fields, 'leaf'),
    path: hexField(fields, 'path'),
  };
}

function hexField(fields: Readonly<Record<string, unknown>>, name: string, length?: number): Digest {
  const text = fields[name];
  let bytes: Digest;
  try {
    bytes = fromHex(text as string);
  } catch (error) {
    throw malformed(`${name}: expected hexadecimal digits`, error);
  }
  if (length === undefined || bytes.length === length) return bytes;
  throw malformed(`${name}: expected ${length} bytes, got ${bytes.length}`);
}

function malformed(message: string, cause?: unknown): CambiumError {
  return new CambiumError('MALFORMED', `sparse proof: ${message}`, cause === undefined ? {} : { cause });
}
