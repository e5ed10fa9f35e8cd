// Arithmetic modulo p = 2^64 - 2^32 + 1 on words, whose products are made of 16-bit halves: fewer multiplications than
// `field/goldilocks` and more additions, for GPUs on which a multiplication is dear. The same functions.
// #import field/goldilocks-parts

// Any 64-bit integer, low word first.
struct gl_Element {
  words: vec2<u32>,
}

// The 64-bit product of two words.
fn gl_wide_mul(a: u32, b: u32) -> vec2<u32> {
  let al = a & 0xffffu;
  let ah = a >> 16u;
  let bl = b & 0xffffu;
  let bh = b >> 16u;
  let low = al * bl;
  let t = al * bh + (low >> 16u);
  let u = ah * bl + (t & 0xffffu);
  return vec2<u32>((u << 16u) | (low & 0xffffu), ah * bh + (t >> 16u) + (u >> 16u));
}

fn gl_wide_square(a: u32) -> vec2<u32> {
  let al = a & 0xffffu;
  let ah = a >> 16u;
  let middle = al * ah;
  let low = al * al + (middle << 17u);
  return vec2<u32>(low, ah * ah + (middle >> 15u) + select(0u, 1u, low < (middle << 17u)));
}

fn gl_wide_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < b.x));
}

fn gl_less(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// A number of 128 bits: 2^64 = 2^32 - 1 and 2^96 = -1.
fn gl_reduce(low: vec2<u32>, high: vec2<u32>) -> gl_Element {
  // low - 2^96's word; a borrow of 2^64 takes 2^32 - 1 away once more.
  let borrow = select(0u, 1u, low.x < high.y);
  var t = vec2<u32>(low.x - high.y, low.y - borrow);
  if (low.y < borrow) {
    let above = select(0u, 1u, t.x == 0xffffffffu);
    t = vec2<u32>(t.x + 1u, t.y - 1u + above);
  }
  let folded = vec2<u32>(0u - high.x, high.x - select(0u, 1u, high.x != 0u));
  let sum = gl_wide_add(t, folded);
  return gl_Element(gl_past_64(sum, gl_less(sum, folded)));
}

fn gl_mul(x: gl_Element, y: gl_Element) -> gl_Element {
  let a = x.words;
  let b = y.words;
  let p00 = gl_wide_mul(a.x, b.x);
  let p11 = gl_wide_mul(a.y, b.y);
  let p01 = gl_wide_mul(a.x, b.y);
  let p10 = gl_wide_mul(a.y, b.x);
  // p01 + the high word of p00 cannot overflow, nor can adding the low word of p10.
  let t = gl_wide_add(p01, vec2<u32>(p00.y, 0u));
  let u = gl_wide_add(p10, vec2<u32>(t.x, 0u));
  let high = gl_wide_add(gl_wide_add(p11, vec2<u32>(t.y, 0u)), vec2<u32>(u.y, 0u));
  return gl_reduce(vec2<u32>(p00.x, u.x), high);
}

fn gl_square(x: gl_Element) -> gl_Element {
  let a = x.words;
  let p00 = gl_wide_square(a.x);
  let p01 = gl_wide_mul(a.x, a.y);
  let p11 = gl_wide_square(a.y);
  let t = gl_wide_add(p01, vec2<u32>(p00.y, 0u));
  let u = gl_wide_add(p01, vec2<u32>(t.x, 0u));
  let high = gl_wide_add(gl_wide_add(p11, vec2<u32>(t.y, 0u)), vec2<u32>(u.y, 0u));
  return gl_reduce(vec2<u32>(p00.x, u.x), high);
}

// From any 64-bit integer, low word first.
fn gl_from_words(words: vec2<u32>) -> gl_Element {
  return gl_Element(words);
}

// The canonical integer, low word first.
fn gl_to_words(x: gl_Element) -> vec2<u32> {
  return gl_canonical(x.words);
}

// The element in three parts, each below 2^22: the form of linear layers.
fn gl_to_parts(x: gl_Element) -> vec3<u32> {
  return gl_parts_from_words(x.words);
}

// The element from a sum of parts, each below 2^31.
fn gl_from_parts(sum: vec3<u32>) -> gl_Element {
  let parts = gl_carry_parts(sum);
  let top = parts.z << 11u;
  let high = top + (parts.y >> 10u);
  return gl_Element(gl_past_64(vec2<u32>(parts.x | (parts.y << 22u), high), high < top));
}
