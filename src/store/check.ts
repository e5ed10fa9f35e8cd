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
  for (const [i, op] of ops.entries()) {
    if (typeof op !== 'object' || op === null || 'put' in op === 'del' in op) {
      throw new TypeError(`ops[${i}]: expected { put, value } or { del }`);
    }
    assertKey('put' in op ? op.put : op.del, `ops[${i}].${'put' in op ? 'put' : 'del'}`);
    if ('put' in op) assertBytes(op.value, `ops[${i}].value`);
  }
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
