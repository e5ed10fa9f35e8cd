// What both forms of the Goldilocks field share: 64-bit integers as two words, and as three parts of weight 2^0, 2^22 and
// 2^43, in which linear layers add up many of them without a carry. The modulus is p = 2^64 - 2^32 + 1.

// The carry of a column that may be negative.
fn gl_carry(column: u32, bits: u32) -> u32 {
  return bitcast<u32>(bitcast<i32>(column) >> bits);
}

// A sum of 64-bit integers without its carry, if that is one: 2^64 = 2^32 - 1. The sum must stay below 2^64 then.
fn gl_past_64(sum: vec2<u32>, carry: bool) -> vec2<u32> {
  let borrow = select(0u, 1u, carry && sum.x == 0u);
  let one = select(0u, 1u, carry);
  return vec2<u32>(sum.x - one, sum.y + one - borrow);
}

// The canonical integer of any one of 64 bits.
fn gl_canonical(words: vec2<u32>) -> vec2<u32> {
  let wide = words.y == 0xffffffffu && words.x != 0u;
  return select(words, vec2<u32>(words.x - 1u, 0u), wide);
}

// The parts of any 64-bit integer, low word first.
fn gl_parts_from_words(words: vec2<u32>) -> vec3<u32> {
  return vec3<u32>(
    words.x & 0x3fffffu,
    ((words.x >> 22u) | (words.y << 10u)) & 0x1fffffu,
    words.y >> 11u,
  );
}

// A sum of parts, each below 2^31, with its carries taken on: 2^64 = 2^32 - 1. Only the second may still have a carry.
fn gl_carry_parts(sum: vec3<u32>) -> vec3<u32> {
  let middle = sum.y + (sum.x >> 22u);
  let upper = sum.z + (middle >> 21u);
  let top = upper >> 21u;
  let low = (sum.x & 0x3fffffu) - top;
  return vec3<u32>(
    low & 0x3fffffu,
    (middle & 0x1fffffu) + (top << 10u) + gl_carry(low, 22u),
    upper & 0x1fffffu,
  );
}

