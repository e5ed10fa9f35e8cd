// Arithmetic modulo p = 2^64 - 2^32 + 1 in limbs of a third of 32 bits: 11, 11, 10, 11, 11 and 10 bits.
//
// Limb i has the weight 2^w(i), w = 0, 11, 22, 32, 43, 54, and 64 + w(i - 6) beyond. The product of limbs i and j
// belongs to column i + j; where the third of 32 bits was rounded, it counts twice: w(i) + w(j) = w(i + j) + 1.
// Columns 6 to 10 fold without a shift: 2^64 = 2^32 - 1 subtracts column 6 from 0 and adds it to 3, and 2^96 = -1
// subtracts column 9 from 0. Every factor stays below 2^13 and is masked where it is used, so that compilers see
// factors of 24 bits, whose products are cheap.

// #import field/goldilocks-parts

// Any 64-bit integer in six limbs. Bits above a limb's mask are left over from carries that are already counted in
// the next limb. Limb 4 alone may have a bit more than its weight's distance.
struct gl_Element {
  low: vec3<u32>,
  high: vec3<u32>,
}

const gl_LOW = vec3<u32>(0x7ffu, 0x7ffu, 0x3ffu);
const gl_HIGH = vec3<u32>(0x7ffu, 0xfffu, 0x3ffu);

// Keeps column 2 positive while columns are subtracted: 2^26 there, and 2^16 less in column 3, is zero.
const gl_BIAS = 0x4000000u;
const gl_BIAS_ABOVE = 0x10000u;

// Column 6 comes with -2^16, column 8 with -2^26 and column 0 with -2^16: column 2 gains 2^26, column 3 loses 2^16, and
// columns 0 and 5 are as they would be. Carries run from column 3 up to 5, from there to 0 and 3, and from 0 to 4.
fn gl_mul(x: gl_Element, y: gl_Element) -> gl_Element {
  let a = x.low & gl_LOW;
  let b = x.high & gl_HIGH;
  let c = y.low & gl_LOW;
  let d = y.high & gl_HIGH;
  let a2 = a.z << 1u;
  let a5 = b.z << 1u;
  let c2 = c.z << 1u;
  let c5 = d.z << 1u;
  let t6 = a.y * c5 + (a2 * d.y + (b.x * d.x + (b.y * c2 + (a5 * c.y - gl_BIAS_ABOVE))));
  let t7 = a2 * d.z + (b.x * d.y + (b.y * d.x + a5 * c.z));
  let t8 = b.x * d.z + (b.y * d.y + (b.z * d.x - gl_BIAS));
  let t9 = b.y * c5 + (a5 * d.y + t6);
  let t10 = a5 * d.z + t7;
  let r3 = a.x * d.x + (a.y * c2 + (a2 * c.y + (b.x * c.x + t6)));
  let r4 = (a.x * d.y + (a.y * d.x + (a2 * c.z + (b.x * c.y + (b.y * c.x + t7))))) + gl_carry(r3, 11u);
  let t5 = a.x * d.z + (a.y * d.y + (a.z * d.x + (b.x * c.z + (b.y * c.y + (b.z * c.x + t8)))));
  let r5 = t5 + gl_carry(r4, 11u) + gl_BIAS;
  let top = gl_carry(r5, 10u);
  let r0 = (a.x * c.x - gl_BIAS_ABOVE) - t9 - top;
  let r1 = (a.x * c.y + (a.y * c.x + gl_carry(r0, 11u))) - t10;
  let r2 = (a.x * c.z + (a.y * c.y + (a.z * c.x + gl_carry(r1, 11u)))) - t8;
  let s3 = (r3 & 0x7ffu) + (r2 >> 10u) + top;
  return gl_Element(vec3<u32>(r0, r1, r2), vec3<u32>(s3, (r4 & 0x7ffu) + (s3 >> 11u), r5));
}

// As gl_mul, with the equal products taken together.
fn gl_square(x: gl_Element) -> gl_Element {
  let a = x.low & gl_LOW;
  let b = x.high & gl_HIGH;
  let c = a << vec3<u32>(1u);
  let d = b << vec3<u32>(1u);
  let t6 = c.y * d.z + (c.z * d.y + (b.x * b.x - gl_BIAS_ABOVE));
  let t7 = c.z * d.z + d.x * b.y;
  let t8 = d.x * b.z + (b.y * b.y - gl_BIAS);
  let t9 = d.y * d.z + t6;
  let t10 = d.z * b.z + t7;
  let r3 = c.x * b.x + (c.y * c.z + t6);
  let r4 = (c.x * b.y + (c.y * b.x + (c.z * a.z + t7))) + gl_carry(r3, 11u);
  let r5 = (c.x * b.z + (c.y * b.y + (c.z * b.x + t8))) + gl_carry(r4, 11u) + gl_BIAS;
  let top = gl_carry(r5, 10u);
  let r0 = (a.x * a.x - gl_BIAS_ABOVE) - t9 - top;
  let r1 = (c.x * a.y + gl_carry(r0, 11u)) - t10;
  let r2 = (c.x * a.z + (a.y * a.y + gl_carry(r1, 11u))) - t8;
  let s3 = (r3 & 0x7ffu) + (r2 >> 10u) + top;
  return gl_Element(vec3<u32>(r0, r1, r2), vec3<u32>(s3, (r4 & 0x7ffu) + (s3 >> 11u), r5));
}

// From any 64-bit integer, low word first.
fn gl_from_words(words: vec2<u32>) -> gl_Element {
  return gl_Element(
    vec3<u32>(words.x, words.x >> 11u, words.x >> 22u),
    vec3<u32>(words.y, (words.y >> 11u) & 0x7ffu, words.y >> 22u),
  );
}

// The canonical integer, low word first.
fn gl_to_words(x: gl_Element) -> vec2<u32> {
  let a = x.low & gl_LOW;
  let b = x.high & gl_HIGH;
  let top = b.z << 22u;
  let high = b.x + (b.y << 11u) + top;
  return gl_canonical(gl_past_64(vec2<u32>(a.x | (a.y << 11u) | (a.z << 22u), high), high < top));
}

// The element in three parts of weight 2^0, 2^22 and 2^43, each below 2^22: the form of linear layers.
fn gl_to_parts(x: gl_Element) -> vec3<u32> {
  let a = x.low & gl_LOW;
  let b = x.high & gl_HIGH;
  return vec3<u32>(a.x + (a.y << 11u), a.z + (b.x << 10u), b.y + (b.z << 11u));
}

// The element from a sum of parts, each below 2^31.
fn gl_from_parts(sum: vec3<u32>) -> gl_Element {
  let parts = gl_carry_parts(sum);
  return gl_Element(
    vec3<u32>(parts.x, parts.x >> 11u, parts.y),
    vec3<u32>(parts.y >> 10u, (parts.z & 0x7ffu) + (parts.y >> 21u), parts.z >> 11u),
  );
}
