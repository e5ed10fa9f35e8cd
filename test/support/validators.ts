/** The generated registries of the vector files. */
import { createHash } from 'node:crypto';

const FAR_FUTURE = 2n ** 64n - 1n;
const VALIDATOR_BYTES = 121;

/** The encoding of the first `count` validators. */
export function validators(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count * VALIDATOR_BYTES);
  const view = new DataView(bytes.buffer);
  const seed = Buffer.alloc(9);
  const part = (i: number, which: number): Buffer => {
    seed.writeBigUInt64LE(BigInt(i));
    seed[8] = which;
    return createHash('sha256').update(seed).digest();
  };
  for (let i = 0; i < count; i++) {
    const at = i * VALIDATOR_BYTES;
    bytes.set(part(i, 0), at);
    bytes.set(part(i, 1).subarray(0, 16), at + 32);
    bytes[at + 48] = 1;
    bytes.set(part(i, 2).subarray(12), at + 60);
    const leaves = i % 5 === 0;
    view.setBigUint64(at + 80, BigInt(i % 10 === 0 ? 31 : 32) * 10n ** 9n, true);
    bytes[at + 88] = Number(i % 17 === 0);
    view.setBigUint64(at + 89, BigInt(i), true);
    view.setBigUint64(at + 97, BigInt(i + 5), true);
    view.setBigUint64(at + 105, leaves ? BigInt(i + 1000) : FAR_FUTURE, true);
    view.setBigUint64(at + 113, leaves ? BigInt(i + 1256) : FAR_FUTURE, true);
  }
  return bytes;
}

/** The encoding of the first `count` balances. */
export function balances(count: number): Uint8Array<ArrayBuffer> {
  const values = BigUint64Array.from(
    { length: count },
    (_, i) => 32n * 10n ** 9n + ((BigInt(i) * 2_654_435_761n) % 10n ** 9n),
  );
  return new Uint8Array(values.buffer);
}
