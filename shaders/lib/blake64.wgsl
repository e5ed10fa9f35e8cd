// A round of BLAKE2b over words of 64 bits in halves. Its four mixes of columns, and then of diagonals, do not depend on
// each other: they stand in the four lanes of vectors.

// Four words.
struct blake64_Row {
  low: vec4<u32>,
  high: vec4<u32>,
}

// The sixteen words of the state, row by row.
struct blake64_Rows {
  a: blake64_Row,
  b: blake64_Row,
  c: blake64_Row,
  d: blake64_Row,
}

fn blake64_add(x: blake64_Row, y: blake64_Row) -> blake64_Row {
  let low = x.low + y.low;
  return blake64_Row(low, x.high + y.high + select(vec4<u32>(0u), vec4<u32>(1u), low < x.low));
}

fn blake64_xor(x: blake64_Row, y: blake64_Row) -> blake64_Row {
  return blake64_Row(x.low ^ y.low, x.high ^ y.high);
}

// To the right by less than 32.
fn blake64_rotate(x: blake64_Row, n: u32) -> blake64_Row {
  let right = vec4<u32>(n);
  let left = vec4<u32>(32u - n);
  return blake64_Row((x.low >> right) | (x.high << left), (x.high >> right) | (x.low << left));
}

fn blake64_swap(x: blake64_Row) -> blake64_Row {
  return blake64_Row(x.high, x.low);
}

// Four mixes, which take the words x and then y of the message. The rotations are by 32, 24, 16 and 63.
fn blake64_mix(s: blake64_Rows, x: blake64_Row, y: blake64_Row) -> blake64_Rows {
  let a0 = blake64_add(blake64_add(s.a, s.b), x);
  let d0 = blake64_swap(blake64_xor(s.d, a0));
  let c0 = blake64_add(s.c, d0);
  let b0 = blake64_rotate(blake64_xor(s.b, c0), 24u);
  let a1 = blake64_add(blake64_add(a0, b0), y);
  let d1 = blake64_rotate(blake64_xor(d0, a1), 16u);
  let c1 = blake64_add(c0, d1);
  return blake64_Rows(a1, blake64_swap(blake64_rotate(blake64_xor(b0, c1), 31u)), c1, d1);
}

fn blake64_left(x: blake64_Row) -> blake64_Row {
  return blake64_Row(x.low.yzwx, x.high.yzwx);
}

fn blake64_across(x: blake64_Row) -> blake64_Row {
  return blake64_Row(x.low.zwxy, x.high.zwxy);
}

fn blake64_right(x: blake64_Row) -> blake64_Row {
  return blake64_Row(x.low.wxyz, x.high.wxyz);
}

// Words of the message as the columns take them, then as the diagonals do.
fn blake64_round(s: blake64_Rows, x: blake64_Row, y: blake64_Row, z: blake64_Row, w: blake64_Row) -> blake64_Rows {
  let v = blake64_mix(s, x, y);
  let diagonals = blake64_Rows(v.a, blake64_left(v.b), blake64_across(v.c), blake64_right(v.d));
  let t = blake64_mix(diagonals, z, w);
  return blake64_Rows(t.a, blake64_right(t.b), blake64_across(t.c), blake64_left(t.d));
}
