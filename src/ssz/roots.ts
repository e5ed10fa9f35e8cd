/** Roots of many encodings of one type at once, straight from their bytes, which are checked on the way. */
import { DIGEST_BYTES, type Digest } from '../bytes.js';
import { copyBytes, copyWords, scatterBytes } from './copy.js';
import { foldGroups, foldProgressive, mixInChunk, mixInNumbers } from './fold.js';
import {
  bitLengths,
  byteLengths,
  checkBooleans,
  elementCounts,
  elementScopes,
  fieldScopes,
  pickScopes,
  type Scopes,
  unionScopes,
} from './scopes.js';
import {
  type BitsType,
  type BytesType,
  CHUNK_BYTES,
  type ContainerType,
  chunkDepth,
  isBasic,
  isOneChunk,
  type SequenceType,
  type SszType,
  type UnionType,
} from './types.js';
import type { Work } from './work.js';

/** Chunks of several values, one value after the other. */
interface Packed {
  readonly nodes: Digest;
  /** How many chunks each value has. */
  readonly counts: Uint32Array;
}

/** Chunks and how many items are in them. */
export interface Chunks extends Packed {
  /** Bytes, bits or elements: what a list mixes into its root. */
  readonly lengths: ArrayLike<number>;
}

/**
 * Root of each encoding: `n x 32` bytes.
 *
 * @throws {CambiumError} `MALFORMED` for bytes that encode no value of the type.
 */
export function* rootsOf(type: SszType, bytes: Uint8Array, scopes: Scopes): Work<Digest> {
  if (!isOneChunk(type)) return yield* treeRoots(type, bytes, scopes);
  const roots = new Uint8Array(scopes.starts.length * DIGEST_BYTES);
  if (type.kind === 'boolean') for (const start of scopes.starts) checkBooleans(bytes, start, start + 1);
  scatterBytes(roots, 0, DIGEST_BYTES, bytes, scopes.starts, type.fixedBytes!);
  return roots;
}

/** The chunks of values whose tree is packed: bytes, bits, sequences of basic values. */
export function packedChunks(
  type: BytesType | BitsType | SequenceType,
  bytes: Uint8Array,
  scopes: Scopes,
): Chunks {
  if (type.kind === 'bytes') {
    const lengths = byteLengths(type, scopes);
    const { fixedBytes } = type;
    return fixedBytes === undefined
      ? { ...padToChunks(bytes, scopes.starts, lengths), lengths }
      : { ...padFixedToChunks(bytes, scopes.starts, fixedBytes), lengths };
  }
  if (type.kind === 'bits') {
    const lengths = bitLengths(type, bytes, scopes);
    const packed = padToChunks(
      bytes,
      scopes.starts,
      lengths.map((bits) => Math.ceil(bits / 8)),
    );
    if (type.extent.of !== 'vector') clearDelimiters(packed, lengths);
    return { ...packed, lengths };
  }
  const lengths = elementCounts(type, bytes, scopes);
  const { starts, ends } = scopes;
  if (type.element.kind === 'boolean') {
    for (let i = 0; i < starts.length; i++) checkBooleans(bytes, starts[i]!, ends[i]!);
  }
  return {
    ...padToChunks(
      bytes,
      starts,
      starts.map((start, i) => ends[i]! - start),
    ),
    lengths,
  };
}

/** The chunks of sequences of values with roots of their own. */
export function* elementRoots(type: SequenceType, bytes: Uint8Array, scopes: Scopes): Work<Chunks> {
  const elements = elementScopes(type, bytes, scopes);
  const nodes = yield* rootsOf(type.element, bytes, elements);
  return { nodes, counts: elements.counts, lengths: elements.counts };
}

/** The chunks of containers, zero where a progressive one has no field: `width` for each. */
export function* fieldRoots(
  type: ContainerType,
  bytes: Uint8Array,
  scopes: Scopes,
): Work<{ readonly nodes: Digest; readonly width: number }> {
  const width = type.active?.length ?? type.fields.length;
  const stride = width * CHUNK_BYTES;
  const others = type.fields.filter((field) => !isOneChunk(field.type));
  const places = fieldScopes(type, bytes, scopes, others);
  const nodes = new Uint8Array(scopes.starts.length * stride);
  packFields(type, bytes, scopes.starts, nodes, stride);
  for (const [i, { type: fieldType, position }] of others.entries()) {
    const roots = yield* treeRoots(fieldType, bytes, places[i]!);
    scatterBytes(
      nodes,
      position * CHUNK_BYTES,
      stride,
      roots,
      evenStarts(scopes.starts.length),
      DIGEST_BYTES,
    );
  }
  return { nodes, width };
}

/** The chunk that a progressive container mixes in. */
export function activeChunk(active: readonly boolean[]): Digest {
  const chunk = new Uint8Array(CHUNK_BYTES);
  active.forEach((used, i) => {
    if (used) chunk[i >> 3]! |= 1 << (i & 7);
  });
  return chunk;
}

/**
 * Writes the fields whose root is their bytes: container after container, so that bytes are read and chunks written in
 * the order of memory.
 */
function packFields(
  type: ContainerType,
  bytes: Uint8Array,
  starts: Uint32Array,
  nodes: Digest,
  stride: number,
): void {
  const short = type.fields.filter((field) => isOneChunk(field.type));
  const moves = short.map(({ at, position, type }) => ({
    from: at,
    to: position * CHUNK_BYTES,
    length: type.fixedBytes!,
    isBoolean: type.kind === 'boolean',
  }));
  const source = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const target = new DataView(nodes.buffer, nodes.byteOffset, nodes.byteLength);
  for (let i = 0; i < starts.length; i++) {
    for (const { from, to, length, isBoolean } of moves) {
      const start = starts[i]! + from;
      if (isBoolean) checkBooleans(bytes, start, start + 1);
      copyWords(target, i * stride + to, source, start, length);
    }
  }
}

function* treeRoots(type: SszType, bytes: Uint8Array, scopes: Scopes): Work<Digest> {
  switch (type.kind) {
    case 'container':
      return yield* containerRoots(type, bytes, scopes);
    case 'union':
      return yield* unionRoots(type, bytes, scopes);
    case 'bytes':
    case 'bits':
      return yield* chunkedRoots(type, packedChunks(type, bytes, scopes));
    case 'sequence':
      return yield* chunkedRoots(
        type,
        isBasic(type.element) ? packedChunks(type, bytes, scopes) : yield* elementRoots(type, bytes, scopes),
      );
    default:
      // None: the zero chunk.
      return new Uint8Array(scopes.starts.length * DIGEST_BYTES);
  }
}

function* chunkedRoots(type: BytesType | BitsType | SequenceType, chunks: Chunks): Work<Digest> {
  const { nodes, counts, lengths } = chunks;
  const depth = chunkDepth(type);
  const roots =
    depth === undefined ? yield* foldProgressive(nodes, counts) : yield* foldGroups(nodes, counts, depth);
  return type.extent.of === 'vector' ? roots : yield* mixInNumbers(roots, lengths);
}

function* containerRoots(type: ContainerType, bytes: Uint8Array, scopes: Scopes): Work<Digest> {
  const { nodes, width } = yield* fieldRoots(type, bytes, scopes);
  const counts = new Uint32Array(scopes.starts.length).fill(width);
  if (!type.active) return yield* foldGroups(nodes, counts, chunkDepth(type)!);
  return yield* mixInChunk(yield* foldProgressive(nodes, counts), activeChunk(type.active));
}

function* unionRoots(type: UnionType, bytes: Uint8Array, scopes: Scopes): Work<Digest> {
  const { selectors, data } = unionScopes(type, bytes, scopes);
  const roots = new Uint8Array(selectors.length * DIGEST_BYTES);
  for (const [selector, option] of type.options) {
    const holders = [...selectors.keys()].filter((i) => selectors[i] === selector);
    if (!holders.length) continue;
    const held = yield* rootsOf(option, bytes, pickScopes(data, holders));
    holders.forEach((i, h) => {
      copyBytes(roots, i * DIGEST_BYTES, held, h * DIGEST_BYTES, DIGEST_BYTES);
    });
  }
  return yield* mixInNumbers(roots, selectors);
}

/** Where digests stand that follow each other. */
function evenStarts(count: number): Uint32Array {
  const starts = new Uint32Array(count);
  for (let i = 0; i < count; i++) starts[i] = i * DIGEST_BYTES;
  return starts;
}

function padToChunks(bytes: Uint8Array, starts: Uint32Array, lengths: ArrayLike<number>): Packed {
  const counts = Uint32Array.from(lengths, (length) => Math.ceil(length / CHUNK_BYTES));
  let total = 0;
  for (const count of counts) total += count;
  const nodes = new Uint8Array(total * CHUNK_BYTES);
  let at = 0;
  for (let i = 0; i < counts.length; i++) {
    copyBytes(nodes, at, bytes, starts[i]!, lengths[i]!);
    at += counts[i]! * CHUNK_BYTES;
  }
  return { nodes, counts };
}

function padFixedToChunks(bytes: Uint8Array, starts: Uint32Array, length: number): Packed {
  const count = Math.ceil(length / CHUNK_BYTES);
  const nodes = new Uint8Array(starts.length * count * CHUNK_BYTES);
  scatterBytes(nodes, 0, count * CHUNK_BYTES, bytes, starts, length);
  return { nodes, counts: new Uint32Array(starts.length).fill(count) };
}

/** Where a delimiter came along in the last byte of bits. */
function clearDelimiters({ nodes, counts }: Packed, bits: Float64Array): void {
  let at = 0;
  for (let i = 0; i < counts.length; i++) {
    if (bits[i]! % 8) nodes[at + Math.floor(bits[i]! / 8)]! &= (1 << (bits[i]! % 8)) - 1;
    at += counts[i]! * CHUNK_BYTES;
  }
}
