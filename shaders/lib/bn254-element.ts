/** What `kernel/check` asks of hashes over BN254: elements are 32 bytes, big-endian. */
import { elementToBytes, fr } from '../../src/field/bn254.ts';

const WORDS = 8;
const modulus = new DataView(elementToBytes(fr.modulus).buffer);

/** From the lowest word up: whether the words so far are below those of the modulus. */
const comparisons = Array.from({ length: WORDS }, (_, i) => {
  const k = WORDS - 1 - i;
  const [word, limit] = [`bytes_swap(words[${k}])`, `${modulus.getUint32(4 * k)}u`];
  const below = i ? `select(${word} < ${limit}, ${word} <= ${limit}, below${i - 1})` : `${word} < ${limit}`;
  return `  let below${i} = ${below};`;
}).join('\n');

export const wgsl = `
// #import lib/bytes

// Words of an element.
const element_WORDS = ${WORDS}u;

fn element_canonical(words: array<u32, element_WORDS>) -> bool {
${comparisons}
  return below${WORDS - 1};
}
`;
