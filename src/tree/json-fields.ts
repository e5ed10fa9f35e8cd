/**
 * Fields of `cambium-proof/1`, read strictly: one value has one form.
 */
import { DIGEST_BYTES, type Digest, fromHex } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { toIndex } from './shape.js';

/** The name of the format, the value of its field `format`. */
export const PROOF_FORMAT = 'cambium-proof/1';

/** An object whose fields are not known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** The error for a field; every reader here throws it. */
export function malformed(field: string, what: string): CambiumError {
  return new CambiumError('MALFORMED', `proof: ${field}: ${what}`);
}

/** The object that a text is. */
export function readFields(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CambiumError('MALFORMED', `proof: no JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CambiumError('MALFORMED', 'proof: expected a JSON object');
  }
  return value as Fields;
}

/** Refuses a field that is missing, or not among the expected ones. */
export function checkNames(fields: Fields, expected: readonly string[]): void {
  for (const name of expected) if (!Object.hasOwn(fields, name)) throw malformed(name, 'missing');
  for (const name of Object.keys(fields)) {
    if (!expected.includes(name)) throw malformed(name, `no field of ${PROOF_FORMAT}`);
  }
}

/** Turns the complaint of a check, which names its field, into `MALFORMED`. */
export function refuse<T>(check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw new CambiumError('MALFORMED', `proof: ${(cause as Error).message}`, { cause });
  }
}

/** A number where that is exact, else decimal digits. */
export function writePosition(position: number | bigint): number | string {
  const exact = toIndex(BigInt(position));
  return typeof exact === 'number' ? exact : String(exact);
}

/** What {@link writePosition} writes. */
export function readPosition(value: unknown, name: string): bigint {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return BigInt(value as number);
  if (typeof value === 'string' && /^[1-9][0-9]{0,19}$/.test(value)) {
    const position = BigInt(value);
    if (position > BigInt(Number.MAX_SAFE_INTEGER)) return position;
  }
  throw malformed(
    name,
    `expected a whole number, above 2^53 - 1 as a decimal string, got ${JSON.stringify(value)}`,
  );
}

/** Digests, in an array. */
export function readDigests(value: unknown, name: string): Digest[] {
  if (!Array.isArray(value)) throw malformed(name, 'expected an array of digests');
  return value.map((digest, i) => readDigest(digest, `${name}[${i}]`));
}

/** A digest: `0x` and 64 lower-case digits. */
export function readDigest(value: unknown, name: string): Digest {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/.test(value)) {
    throw malformed(name, `expected 0x and ${2 * DIGEST_BYTES} lower-case hexadecimal digits`);
  }
  return fromHex(value);
}

/** Refuses what does not name this format and a hash; gives the hash. */
export function readHeader(fields: Fields): string {
  if (fields.format !== PROOF_FORMAT) {
    throw malformed(
      'format',
      `expected ${JSON.stringify(PROOF_FORMAT)}, got ${JSON.stringify(fields.format)}`,
    );
  }
  if (typeof fields.hash !== 'string' || !fields.hash) throw malformed('hash', 'expected the id of a hash');
  return fields.hash;
}
