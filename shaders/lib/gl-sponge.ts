/**
 * Sponges over a permutation `sponge_permute` of `state_Parts`: what kernels ask of a Goldilocks hash.
 *
 * Written out lane by lane, because a running index would move the state from registers to memory.
 */

/** How a sponge lays out its state, and what it does with an input that ends within a block. */
export interface Sponge {
  /** Lanes that a block fills. */
  readonly rate: number;
  /** First lane of the rate, and of the digest. */
  readonly first: number;
  /** Miden's: the lane that takes the input's length, and zeros behind the input. Else the old lanes stay. */
  readonly lengthLane?: number;
}

const each = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join('\n');

/** Rows of elements, for `kernel/rows`. */
function rows({ rate, first, lengthLane }: Sponge): string {
  const element = (i: number): string =>
    `gl_parts_from_words(vec2<u32>(block[${2 * i}], block[${2 * i + 1}]))`;
  const absorb = (i: number): string =>
    lengthLane === undefined
      ? `  s[${first + i}] = select(s[${first + i}], ${element(i)}, ${i}u < count);`
      : `  s[${first + i}] = ${element(i)};`;
  return `
alias row_State = state_Parts;

// Words of a block, and the element one.
const row_WORDS = ${2 * rate}u;
const row_ONE = array<u32, element_WORDS>(1u, 0u);

// The state before a row of so many elements.
fn row_init(elements: u32) -> row_State {
  var s: state_Parts;
${lengthLane === undefined ? '' : `  s[${lengthLane}] = vec3<u32>(elements % ${rate}u, 0u, 0u);`}
  return s;
}

// Folds in a block of \`count\` elements, with zeros behind them.
fn row_absorb(state: row_State, block: array<u32, row_WORDS>, count: u32) -> row_State {
  var s = state;
${each(rate, absorb)}
  return sponge_permute(s);
}

fn row_finish(state: row_State) -> Digest {
  return sponge_digest(state);
}
`;
}

/** Miden's byte form, for `kernel/messages`: seven bytes an element, the last with a byte 1 behind its data. */
function messages({ rate, first, lengthLane }: Required<Sponge>): string {
  /** Word `half` of the seven bytes from byte `7 * i` of the block on. */
  const word = (i: number, half: number): string => {
    const at = 56 * i + 32 * half;
    const [index, shift] = [Math.floor(at / 32), at % 32];
    const low = `(block[${index}] >> ${shift}u)`;
    return shift && index + 1 < (7 * rate) / 4 ? `(${low} | (block[${index + 1}] << ${32 - shift}u))` : low;
  };
  return `
alias msg_State = state_Parts;

struct msg_Memory {
  state: msg_State,
}

const msg_WORDS = ${(7 * rate) / 4}u;

// The marker stands behind the last element, not behind the message's bytes in a block: msg_element writes it.
const msg_PAD = 0u;

fn msg_blocks(length: u32) -> u32 {
  return length / ${7 * rate}u + select(0u, 1u, length % ${7 * rate}u > 0u);
}

fn msg_init() -> msg_State {
  return state_Parts();
}

// An element of seven bytes; \`left\` bytes of the message begin with it.
fn msg_element(words: vec2<u32>, left: i32) -> vec3<u32> {
  let bits = (u32(left) & 3u) << 3u;
  let low = select(0u, 1u << bits, left > 0 && left < 4);
  let high = select(0u, 1u << bits, left > 3 && left < 8);
  return gl_parts_from_words(vec2<u32>(words.x | low, (words.y & 0xffffffu) | high));
}

// Folds block \`index\` of a message of \`length\` bytes, with zeros behind it.
fn msg_block(state: msg_State, block: array<u32, msg_WORDS>, index: u32, length: u32, place: u32) -> msg_State {
  var s = state;
  if (index == 0u) {
    s[${lengthLane}] = vec3<u32>(${rate}u + ((length + 6u) / 7u) % ${rate}u, 0u, 0u);
  }
  // More than a block is as good as any: the last element of this one is not marked then.
  let left = i32(min(length - ${7 * rate}u * index, ${7 * rate + 7}u));
${each(rate, (i) => `  s[${first + i}] = msg_element(vec2<u32>(${word(i, 0)}, ${word(i, 1)}), left - ${7 * i});`)}
  return sponge_permute(s);
}

fn msg_finish(state: msg_State) -> Digest {
  return sponge_digest(state);
}
`;
}

/** The sponge as a shader module. */
export function spongeModule(sponge: Sponge): string {
  const { rate, first, lengthLane } = sponge;
  return `
// #import lib/digest
// #import field/goldilocks

// First lane of the rate, and of the digest.
const sponge_RATE = ${first}u;

// Words of an element.
const element_WORDS = 2u;

fn element_canonical(words: array<u32, element_WORDS>) -> bool {
  return words[1] != 0xffffffffu || words[0] == 0u;
}

fn sponge_digest(s: state_Parts) -> Digest {
${each(4, (i) => `  let w${i} = gl_to_words(gl_from_parts(s[${first + i}]));`)}
  return Digest(vec4<u32>(w0, w1), vec4<u32>(w2, w3));
}
${rows(sponge)}
${lengthLane === undefined ? '' : messages({ rate, first, lengthLane })}
`;
}

/**
 * `node_compress`: two digests fill the first eight lanes of the rate, the other lanes are zero.
 *
 * A module of its own, because a hash may have a layer kernel that does without.
 */
export function pairModule({ first }: Sponge): string {
  const halves = ['left.low.xy', 'left.low.zw', 'left.high.xy', 'left.high.zw'];
  const words = [...halves, ...halves.map((half) => half.replace('left', 'right'))];
  return `
fn node_compress(left: Digest, right: Digest) -> Digest {
  var s: state_Parts;
${each(8, (i) => `  s[${first + i}] = gl_parts_from_words(${words[i]});`)}
  return sponge_digest(sponge_permute(s));
}
`;
}
