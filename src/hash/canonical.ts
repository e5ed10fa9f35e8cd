/** Refuses field elements at or above their modulus, without a BigInt per element. */
import { CambiumError } from '../errors.js';
import type { FieldInput, HashInput } from './types.js';

const known: WeakMap<FieldInput, Uint32Array> = /* @__PURE__ */ new WeakMap();

/** The modulus as 32-bit words, most significant first; kept, since layers can be as narrow as one pair. */
function modulusWords(input: FieldInput): Uint32Array {
  const { elementBytes, modulus } = input;
  const words =
    known.get(input) ??
    Uint32Array.from({ length: elementBytes / 4 }, (_, i) =>
      Number((modulus >> BigInt(8 * elementBytes - 32 * (i + 1))) & 0xffffffffn),
    );
  known.set(input, words);
  return words;
}

/** Position of the first element that is not below the modulus; -1 where there is none. */
export function firstNonCanonical(bytes: Uint8Array, input: FieldInput): number {
  const { elementBytes, order } = input;
  const modulus = modulusWords(input);
  if (elementBytes === 8 && order === 'le' && bytes.byteOffset % 4 === 0) {
    return firstOfPairs(bytes, modulus[0]!, modulus[1]!);
  }
  const words = modulus.length;
  const littleEndian = order === 'le';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length / elementBytes;
  for (let i = 0; i < count; i++) {
    let k = 0;
    let difference = 0;
    // The first word decides for nearly every element.
    while (difference === 0 && k < words) {
      const at = i * elementBytes + 4 * (littleEndian ? words - 1 - k : k);
      difference = view.getUint32(at, littleEndian) - modulus[k++]!;
    }
    if (difference >= 0) return i;
  }
  return -1;
}

/** The same for elements of two aligned words: a view of them is many times faster than one of bytes. */
function firstOfPairs(bytes: Uint8Array, high: number, low: number): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  for (let i = 1; i < words.length; i += 2) {
    const word = words[i]!;
    if (word >= high && (word > high || words[i - 1]! >= low)) return i >>> 1;
  }
  return -1;
}

/**
 * Refuses what {@link firstNonCanonical} finds; bytes are always fine.
 *
 * @param first elements of the user's input before `bytes`.
 * @throws {CambiumError} `NOT_CANONICAL` with the element's position as `index`.
 */
export function assertCanonical(bytes: Uint8Array, input: HashInput, first = 0): void {
  if (input === 'bytes') return;
  const found = firstNonCanonical(bytes, input);
  if (found < 0) return;
  throw notCanonical(first + found, input);
}

/** The error for an element at this position. */
export function notCanonical(index: number, { modulus }: FieldInput): CambiumError {
  return new CambiumError('NOT_CANONICAL', `element ${index}: not below ${modulus}`, { index });
}
