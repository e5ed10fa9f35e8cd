/**
 * What a tree looks like, and which positions exist in it. Positions are bigints: a tree has up to 2^64 of them.
 */
import type { Padding } from '../backend/types.js';

/** Most levels above the leaves. */
export const MAX_DEPTH = 64;

export const PADDINGS: readonly Padding[] = ['zero', 'promote', 'duplicate', 'none'];

/** A checked shape; `size` is absent where the caller did not give it. */
export interface Shape {
  readonly depth: number;
  readonly size: bigint | undefined;
  readonly padding: Padding;
}

/** The least depth that holds `size` leaves. */
export function depthFor(size: bigint): number {
  return size <= 1n ? 0 : (size - 1n).toString(2).length;
}

/**
 * A whole number as a bigint.
 *
 * @throws {TypeError} when it is neither number nor bigint. @throws {RangeError} when it is not whole, or out of range.
 */
export function wholeNumber(value: unknown, name: string, least: bigint, most: bigint): bigint {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw new TypeError(
      `${name}: expected a number or bigint, got ${value === null ? 'null' : typeof value}`,
    );
  }
  // Above 2^53 - 1 a number no longer says which integer is meant.
  const exact = typeof value === 'bigint' || Number.isSafeInteger(value);
  const whole = exact ? BigInt(value) : undefined;
  if (whole === undefined || whole < least || whole > most) {
    throw new RangeError(`${name}: expected a whole number from ${least} to ${most}, got ${value}`);
  }
  return whole;
}

/** @throws {TypeError} @throws {RangeError} unless it is a whole number from 0 to 64. */
export function checkDepth(depth: unknown): number {
  return Number(wholeNumber(depth, 'depth', 0n, BigInt(MAX_DEPTH)));
}

/** @throws {RangeError} for anything but the four paddings. */
export function checkPadding(padding: unknown): Padding {
  if (!PADDINGS.includes(padding as Padding)) {
    throw new RangeError(`padding: expected ${PADDINGS.join(', ')}, got ${String(padding)}`);
  }
  return padding as Padding;
}

/**
 * Checks a shape that a verifier states.
 *
 * @throws {TypeError} @throws {RangeError} that names the field, when no tree has this shape.
 */
export function checkShape(claim: {
  readonly depth: number;
  readonly size?: number | bigint | undefined;
  readonly padding?: Padding | undefined;
}): Shape {
  const depth = checkDepth(claim.depth);
  const padding = checkPadding(claim.padding ?? 'zero');
  const slots = 1n << BigInt(depth);
  if (claim.size === undefined) {
    if (padding === 'promote' || padding === 'duplicate') {
      throw new RangeError(`size: padding '${padding}' needs it, since the shape of the tree depends on it`);
    }
    return { depth, size: undefined, padding };
  }
  const size = wholeNumber(claim.size, 'size', 1n, slots);
  if (padding !== 'zero' && depth !== depthFor(size)) {
    throw new RangeError(
      `depth: ${size} leaves under padding '${padding}' have ${depthFor(size)}, got ${depth}`,
    );
  }
  if (padding === 'none' && size !== slots) {
    throw new RangeError(`size: padding 'none' at depth ${depth} has ${slots} leaves, got ${size}`);
  }
  return { depth, size, padding };
}

/** @throws {TypeError} @throws {RangeError} unless `index` is a position of the shape. */
export function checkIndex(index: unknown, name: string, { depth, size }: Shape): bigint {
  return wholeNumber(index, name, 0n, (size ?? 1n << BigInt(depth)) - 1n);
}

/** A position as callers get it: a number while it is exact, else a bigint. */
export function toIndex(index: bigint): number | bigint {
  return index <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(index) : index;
}

/** Whether the node at `index`, on a level of `width` real nodes, is the last one and has none beside it. */
export function standsAlone(index: bigint, width: bigint | undefined): boolean {
  return width !== undefined && index % 2n === 0n && index + 1n === width;
}
