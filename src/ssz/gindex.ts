/**
 * Generalized indices: the root is 1, the children of `g` are `2g` and `2g + 1`. Depths beyond 53 are ordinary, so they
 * are bigints throughout.
 */
import {
  type BitsType,
  type BytesType,
  type ContainerType,
  chunkDepth,
  itemsPerChunk,
  type SequenceType,
  type SszType,
  type UnionType,
} from './types.js';

/** A field name, an element's index, a union's selector, or the step to a length or selector. */
export type PathStep = string | number | bigint;

/** Steps from a value to a part of it. */
export type Path = readonly PathStep[];

/** The step from a list to its length. */
const LENGTH = '__len__';
/** The step from a union to its selector. */
const SELECTOR = '__selector__';
const MAX_INDEX = 2n ** 64n;

/** Where a step leads. */
export interface Step {
  /** Below the type's own root. */
  readonly gindex: bigint;
  /** Absent where nothing lies below: lengths, selectors, bytes and bits. */
  readonly type?: SszType;
}

/**
 * The generalized index of the chunk, or root, to which a path leads.
 *
 * Paths take field names, indices of elements, bytes or bits, the selector of a union's option, `__len__` and
 * `__selector__`. An element that a list does not have, but may, has an index too.
 *
 * @throws {TypeError} for a step of the wrong kind. @throws {RangeError} for an unknown field or option, an index
 *   beyond the vector or limit, a path that goes below a basic value.
 * @example
 * ```ts
 * gindexOf(ssz.list(ssz.uint64, 1024), [5]); // 513n
 * ```
 */
export function gindexOf(type: SszType, path: Path): bigint {
  let at = 1n;
  let current: SszType | undefined = type;
  path.forEach((step, i) => {
    if (!current) throw new RangeError(`path[${i}]: nothing lies below ${String(path[i - 1])}`);
    const next: Step = stepInto(current, step, `path[${i}]`);
    at = concatGindices(at, next.gindex);
    current = next.type;
  });
  return at;
}

/** Levels between the root and `g`. @throws {RangeError} for an index below 1. */
export function gindexDepth(g: bigint): number {
  checkGindex(g, 'gindex');
  return g.toString(2).length - 1;
}

/** The index of what stands at `below` under the node `above`. */
export function concatGindices(above: bigint, below: bigint): bigint {
  const bits = BigInt(gindexDepth(below));
  return (above << bits) | (below ^ (1n << bits));
}

/** Refuses what is no generalized index. @throws {TypeError} or {RangeError} that names the argument. */
export function checkGindex(g: unknown, name: string): asserts g is bigint {
  if (typeof g !== 'bigint') throw new TypeError(`${name}: expected a bigint, got ${typeof g}`);
  if (g < 1n) throw new RangeError(`${name}: expected at least 1, got ${g}`);
}

/** One step of a path. */
export function stepInto(type: SszType, step: PathStep, name: string): Step {
  switch (type.kind) {
    case 'container':
      return fieldStep(type, step, name);
    case 'union':
      return optionStep(type, step, name);
    case 'bytes':
    case 'bits':
    case 'sequence':
      return itemStep(type, step, name);
    default:
      throw new RangeError(`${name}: nothing lies below a basic value`);
  }
}

/** The index of chunk `chunk` below a type's own root. */
export function chunkGindex(
  type: BytesType | BitsType | SequenceType | ContainerType,
  chunk: bigint,
): bigint {
  const mixesIn = type.kind === 'container' ? type.active !== undefined : type.extent.of !== 'vector';
  const depth = chunkDepth(type);
  const tree = depth === undefined ? progressiveGindex(chunk) : (1n << BigInt(depth)) + chunk;
  return mixesIn ? concatGindices(2n, tree) : tree;
}

function fieldStep(type: ContainerType, step: PathStep, name: string): Step {
  const field = type.fields.find((each) => each.name === step);
  if (!field) throw new RangeError(`${name}: no field ${JSON.stringify(String(step))}`);
  return { gindex: chunkGindex(type, BigInt(field.position)), type: field.type };
}

function optionStep(type: UnionType, step: PathStep, name: string): Step {
  if (step === SELECTOR) return { gindex: 3n };
  const option = type.options.get(Number(step));
  if (typeof step === 'string' || !option) throw new RangeError(`${name}: no option ${String(step)}`);
  return { gindex: 2n, type: option };
}

function itemStep(type: BytesType | BitsType | SequenceType, step: PathStep, name: string): Step {
  const { extent } = type;
  if (step === LENGTH && extent.of !== 'vector') return { gindex: 3n };
  const index = checkIndex(step, name);
  const limit =
    extent.of === 'vector' ? BigInt(extent.length) : extent.of === 'list' ? extent.limit : MAX_INDEX;
  if (index >= limit) throw new RangeError(`${name}: expected an index below ${limit}, got ${index}`);
  const gindex = chunkGindex(type, index / BigInt(itemsPerChunk(type)));
  return type.kind === 'sequence' ? { gindex, type: type.element } : { gindex };
}

function checkIndex(step: PathStep, name: string): bigint {
  if (typeof step === 'string')
    throw new TypeError(`${name}: expected an index, got ${JSON.stringify(step)}`);
  if ((typeof step === 'number' && !Number.isSafeInteger(step)) || step < 0) {
    throw new RangeError(`${name}: expected a whole number from 0, got ${step}`);
  }
  return BigInt(step);
}

/** Right along the spine to the subtree that holds the chunk, left into it, and down. */
function progressiveGindex(chunk: bigint): bigint {
  let k = 0n;
  let before = 0n;
  for (; before + 4n ** k <= chunk; k++) before += 4n ** k;
  const subtree = 2n ** (k + 2n) - 2n;
  return subtree * 4n ** k + (chunk - before);
}
