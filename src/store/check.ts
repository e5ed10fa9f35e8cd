/**
 * Checks of arguments that all stores share.
 */
import { assertBytes } from '../bytes.js';
import { type KeyRange, MAX_KEY_BYTES, type StoreOp } from './types.js';

/** @throws {TypeError} when it is no byte array. @throws {RangeError} when it is empty or too long. */
export function assertKey(key: unknown, name: string): asserts key is Uint8Array {
  assertBytes(key, name);
  if (key.length < 1 || key.length > MAX_KEY_BYTES) {
    throw new RangeError(`${name}: expected 1 to ${MAX_KEY_BYTES} bytes, got ${key.length}`);
  }
}

/** @throws {TypeError} @throws {RangeError} that names the key at fault. */
export function assertKeys(keys: unknown): asserts keys is readonly Uint8Array[] {
  if (!Array.isArray(keys)) throw new TypeError(`keys: expected an array, got ${typeof keys}`);
  for (const [i, key] of keys.entries()) assertKey(key, `keys[${i}]`);
}

/** @throws {TypeError} @throws {RangeError} that names the change at fault. */
export function assertOps(ops: unknown): asserts ops is readonly StoreOp[] {
  if (!Array.isArray(ops)) throw new TypeError(`ops: expected an array, got ${typeof ops}`);
  for (let i = 0; i < ops.length; i++) {
    const op: unknown = ops[i];
    if (typeof op !== 'object' || op === null || 'put' in op === 'del' in op) {
      throw new TypeError(`ops[${i}]: expected { put, value } or { del }`);
    }
    const { put, del, value } = op as { put?: unknown; del?: unknown; value?: unknown };
    // Names for messages are only made when something is wrong: they cost more than the checks.
    if ('del' in op) {
      if (!isKey(del)) assertKey(del, `ops[${i}].del`);
      continue;
    }
    if (!isKey(put)) assertKey(put, `ops[${i}].put`);
    if (!(value instanceof Uint8Array)) assertBytes(value, `ops[${i}].value`);
  }
}

function isKey(key: unknown): boolean {
  return key instanceof Uint8Array && key.length >= 1 && key.length <= MAX_KEY_BYTES;
}

/** A checked range whose bounds are copies. */
export type CheckedRange = KeyRange & { readonly reverse: boolean };

/**
 * Checks a range and copies its bounds.
 *
 * @throws {TypeError} @throws {RangeError} that names the bound at fault.
 */
export function checkRange(range: KeyRange = {}): CheckedRange {
  const { gte, gt, lte, lt, reverse = false, limit } = range;
  if (gte && gt) throw new TypeError('range: expected at most one of gte and gt');
  if (lte && lt) throw new TypeError('range: expected at most one of lte and lt');
  if (typeof reverse !== 'boolean') throw new TypeError(`reverse: expected a boolean, got ${typeof reverse}`);
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0)) {
    throw new RangeError(`limit: expected a whole number from 0, got ${limit}`);
  }
  const bounds: { -readonly [side in 'gte' | 'gt' | 'lte' | 'lt']?: Uint8Array } = {};
  for (const [side, key] of Object.entries({ gte, gt, lte, lt }) as [keyof typeof bounds, unknown][]) {
    if (key === undefined) continue;
    assertKey(key, side);
    bounds[side] = new Uint8Array(key);
  }
  return { ...bounds, reverse, ...(limit !== undefined && { limit }) };
}
