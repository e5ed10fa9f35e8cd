/** Changes of kept nodes; what they make wrong is marked, for `rehash`. */
import { locateProgressive } from './build.js';
import { type Path, type PathStep, stepInto } from './gindex.js';
import type { ChunkTree, KeptNode, Leaf, Pair } from './node.js';
import { serialize } from './serialize.js';
import {
  type BitsType,
  type BytesType,
  CHUNK_BYTES,
  type ContainerType,
  isBasic,
  itemsPerChunk,
  type SequenceType,
  type SszType,
  type SszValue,
} from './types.js';
import { expand } from './walk.js';
import type { Work } from './work.js';

const UINT8: SszType = { kind: 'uint', fixedBytes: 1 };

/** Types whose parts are chunks or within them. */
type ChunkedType = BytesType | BitsType | SequenceType | ContainerType;

/**
 * Replaces the part of a value to which the path leads: a field, an element, a byte or a bit.
 *
 * @throws {RangeError} or {TypeError} for a path that leads to no part, or a value that is not of its type; nothing has
 *   changed then.
 */
export function* assign(root: KeptNode, type: SszType, path: Path, value: SszValue): Work<void> {
  const name = `path[${path.length - 1}]`;
  const parent = yield* descend(root, type, path.slice(0, -1));
  const step = path.at(-1)!;
  stepInto(parent.type, step, name);
  if (parent.type.kind === 'container') {
    const field = parent.type.fields.find((each) => each.name === step)!;
    writeItem(parent.node, parent.type, field.position, field.type, value);
    return;
  }
  if (!isIndexed(parent.type)) throw new RangeError(`${name}: unions are replaced as a whole`);
  const index = existing(parent.node, parent.type, step, name);
  writeItem(parent.node, parent.type, index, itemType(parent.type), value);
}

/**
 * Adds an element, byte or bit to the list to which the path leads.
 *
 * @throws {RangeError} or {TypeError} for a path that leads to no list, a full list, a value that is not of its type;
 *   nothing has changed then.
 */
export function* append(root: KeptNode, type: SszType, path: Path, value: SszValue): Work<void> {
  const { node, type: listType } = yield* descend(root, type, path);
  if (!isIndexed(listType) || listType.extent.of === 'vector') {
    throw new RangeError(`path: expected a list, got ${listType.kind}`);
  }
  const length = (node as Pair).right as Leaf;
  const count = length.number;
  if (listType.extent.of === 'list' && BigInt(count) >= listType.extent.limit) {
    throw new RangeError(`path: the list has its limit of ${listType.extent.limit} already`);
  }
  writeItem(node, listType, count, itemType(listType), value);
  length.number = count + 1;
}

/** The part to which the path leads, expanded, with all on the way marked as touched. */
function* descend(
  root: KeptNode,
  rootType: SszType,
  path: Path,
): Work<{ readonly node: KeptNode; readonly type: SszType }> {
  let node = root;
  let type = rootType;
  for (const [i, step] of path.entries()) {
    const name = `path[${i}]`;
    const next = stepInto(type, step, name).type;
    if (!next) throw new RangeError(`${name}: ${String(step)} cannot be changed`);
    if (type.kind === 'union') {
      const { left, right } = node as Pair;
      if ((right as Leaf).number !== Number(step))
        throw new RangeError(`${name}: the union holds another option`);
      node = left;
    } else {
      const chunked = type as ContainerType | SequenceType;
      const position =
        chunked.kind === 'container'
          ? chunked.fields.find((field) => field.name === step)!.position
          : Math.floor(existing(node, chunked, step, name) / itemsPerChunk(chunked));
      node = yield* touch(node, chunked, position, name);
    }
    type = next;
  }
  return { node, type };
}

function* touch(node: KeptNode, type: ChunkedType, chunk: number, name: string): Work<KeptNode> {
  const { tree, index } = chunkOf(node, type, chunk);
  const child = yield* expand(tree, index);
  if (!child) throw new RangeError(`${name}: nothing lies below a basic value`);
  tree.touched.add(index);
  return child;
}

/** Writes an item that is there, or the first that is not. */
function writeItem(
  node: KeptNode,
  type: ChunkedType,
  item: number,
  itemType: SszType,
  value: SszValue,
): void {
  const each = type.kind === 'container' ? 1 : itemsPerChunk(type);
  if (type.kind === 'bits') {
    if (typeof value !== 'boolean') throw new TypeError(`value: expected a boolean, got ${typeof value}`);
    const chunk = changing(node, type, Math.floor(item / each));
    const bit = item % each;
    if (value) chunk[bit >> 3]! |= 1 << (bit & 7);
    else chunk[bit >> 3]! &= ~(1 << (bit & 7));
    return;
  }
  const bytes = serialize(itemType, value);
  if (isBasic(itemType)) {
    changing(node, type, Math.floor(item / each)).set(bytes, (item % each) * bytes.length);
    return;
  }
  const { tree, index } = roomFor(node, type, item);
  tree.replaced.set(index, { type: itemType, bytes, start: 0, end: bytes.length });
  tree.unhashed.add(index);
  tree.children.delete(index);
  tree.touched.delete(index);
}

/** The bytes of a chunk that is about to change. */
function changing(node: KeptNode, type: ChunkedType, chunk: number): Uint8Array {
  const { tree, index } = roomFor(node, type, chunk);
  tree.dirty.add(index);
  return tree.at(0, index).subarray(0, CHUNK_BYTES);
}

function roomFor(node: KeptNode, type: ChunkedType, chunk: number): { tree: ChunkTree; index: number } {
  const place = chunkOf(node, type, chunk);
  if (place.index >= place.tree.count) place.tree.grow(place.index + 1);
  return place;
}

function chunkOf(node: KeptNode, type: ChunkedType, chunk: number): { tree: ChunkTree; index: number } {
  const progressive =
    type.kind === 'container' ? type.active !== undefined : type.extent.of === 'progressive';
  if (progressive) return locateProgressive(node as Pair, chunk);
  const mixesIn = type.kind !== 'container' && type.extent.of === 'list';
  return { tree: (mixesIn ? (node as Pair).left : node) as ChunkTree, index: chunk };
}

/** The index that a step says, of an item that is there. */
function existing(
  node: KeptNode,
  type: BytesType | BitsType | SequenceType,
  step: PathStep,
  name: string,
): number {
  const index = Number(step);
  const { extent } = type;
  const length = extent.of === 'vector' ? extent.length : ((node as Pair).right as Leaf).number;
  // `__len__` and the like become NaN.
  if (!(index < length))
    throw new RangeError(`${name}: expected an index below ${length}, got ${String(step)}`);
  return index;
}

function isIndexed(type: SszType): type is BytesType | BitsType | SequenceType {
  return type.kind === 'bytes' || type.kind === 'bits' || type.kind === 'sequence';
}

function itemType(type: BytesType | BitsType | SequenceType): SszType {
  return type.kind === 'sequence' ? type.element : UINT8;
}
