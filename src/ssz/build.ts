/** Encodings to kept nodes. */
import { DIGEST_BYTES, type Digest } from '../bytes.js';
import { foldPairs, subtreeCount, subtreeStart } from './fold.js';
import { ChunkTree, type Encoding, type KeptNode, Leaf, Pair, raise } from './node.js';
import { activeChunk, elementRoots, fieldRoots, packedChunks } from './roots.js';
import { elementScopes, fieldScopes, type Scopes, unionScopes } from './scopes.js';
import {
  type BitsType,
  type BytesType,
  type ContainerType,
  chunkDepth,
  isBasic,
  type SequenceType,
} from './types.js';
import type { Work } from './work.js';

type EncodingAt = (chunk: number) => Encoding | undefined;

/**
 * The nodes of a value. Values within it are hashed, all alike ones together, but not expanded.
 *
 * @throws {CambiumError} `MALFORMED` for bytes that encode no value of the type.
 */
export function* buildNode({ type, bytes, start, end }: Encoding): Work<KeptNode> {
  const scope: Scopes = { starts: Uint32Array.of(start), ends: Uint32Array.of(end) };
  switch (type.kind) {
    case 'bytes':
    case 'bits':
      return yield* packedNode(type, bytes, scope);
    case 'sequence':
      return yield* isBasic(type.element) ? packedNode(type, bytes, scope) : sequenceNode(type, bytes, scope);
    case 'container':
      return yield* containerNode(type, bytes, scope);
    case 'union': {
      const { selectors, data } = unionScopes(type, bytes, scope);
      const option = type.options.get(selectors[0]!)!;
      const node = yield* buildNode({ type: option, bytes, start: data.starts[0]!, end });
      return yield* joined(node, Leaf.ofNumber(selectors[0]!));
    }
    default: {
      const leaf = new Leaf();
      leaf.digest.set(bytes.subarray(start, end));
      return leaf;
    }
  }
}

/** The subtree of a progressive tree that holds a chunk, and where; the spine grows as far as needed. */
export function locateProgressive(
  mixed: Pair,
  chunk: number,
): { readonly tree: ChunkTree; readonly index: number } {
  if (mixed.left instanceof Leaf) mixed.left = emptySpine(0);
  let spine = mixed.left as Pair;
  let k = 0;
  for (; subtreeStart(k + 1) <= chunk; k++) {
    if (spine.right instanceof Leaf) spine.right = emptySpine(k + 1);
    spine = spine.right as Pair;
  }
  return { tree: spine.left as ChunkTree, index: chunk - subtreeStart(k) };
}

/** A spine whose only subtree has no chunk yet. */
function emptySpine(k: number): Pair {
  const layers = Array.from({ length: 2 * k + 1 }, () => new Uint8Array(0));
  return new Pair(new ChunkTree(2 * k, layers), new Leaf());
}

function* packedNode(
  type: BytesType | BitsType | SequenceType,
  bytes: Uint8Array,
  scope: Scopes,
): Work<KeptNode> {
  const { nodes, lengths } = packedChunks(type, bytes, scope);
  return yield* chunksNode(type, nodes, lengths[0]!, () => undefined);
}

function* sequenceNode(type: SequenceType, bytes: Uint8Array, scope: Scopes): Work<KeptNode> {
  const { nodes, lengths } = yield* elementRoots(type, bytes, scope);
  const places = elementScopes(type, bytes, scope);
  return yield* chunksNode(type, nodes, lengths[0]!, (chunk) =>
    chunk < places.starts.length
      ? { type: type.element, bytes, start: places.starts[chunk]!, end: places.ends[chunk]! }
      : undefined,
  );
}

function* containerNode(type: ContainerType, bytes: Uint8Array, scope: Scopes): Work<KeptNode> {
  const { nodes } = yield* fieldRoots(type, bytes, scope);
  const places = fieldScopes(type, bytes, scope);
  const fieldAt = new Map<number, Encoding>();
  type.fields.forEach(({ position, type: fieldType }, i) => {
    if (isBasic(fieldType)) return;
    fieldAt.set(position, { type: fieldType, bytes, start: places[i]!.starts[0]!, end: places[i]!.ends[0]! });
  });
  const encodingAt: EncodingAt = (chunk) => fieldAt.get(chunk);
  const tree = yield* treeOver(type, nodes, encodingAt);
  return type.active ? yield* joined(tree, new Leaf(activeChunk(type.active))) : tree;
}

function* chunksNode(
  type: BytesType | BitsType | SequenceType,
  nodes: Digest,
  length: number,
  encodingAt: EncodingAt,
): Work<KeptNode> {
  const tree = yield* treeOver(type, nodes, encodingAt);
  return type.extent.of === 'vector' ? tree : yield* joined(tree, Leaf.ofNumber(length));
}

function* treeOver(
  type: BytesType | BitsType | SequenceType | ContainerType,
  nodes: Digest,
  encodingAt: EncodingAt,
): Work<KeptNode> {
  const depth = chunkDepth(type);
  if (depth !== undefined) return yield* raise(nodes, depth, encodingAt);
  const chunks = nodes.length / DIGEST_BYTES;
  let spine: KeptNode = new Leaf();
  for (let k = subtreeCount(chunks) - 1; k >= 0; k--) {
    const first = subtreeStart(k);
    const part = nodes.slice(first * DIGEST_BYTES, subtreeStart(k + 1) * DIGEST_BYTES);
    const subtree: ChunkTree = yield* raise(part, 2 * k, (chunk) => encodingAt(first + chunk));
    spine = yield* joined(subtree, spine);
  }
  return spine;
}

/** A pair with its digest. */
function* joined(left: KeptNode, right: KeptNode): Work<Pair> {
  const pair = new Pair(left, right);
  const nodes = new Uint8Array(2 * DIGEST_BYTES);
  nodes.set(left.digest);
  nodes.set(right.digest, DIGEST_BYTES);
  pair.digest.set(yield* foldPairs(nodes));
  return pair;
}
