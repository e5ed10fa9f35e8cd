// A round of BLAKE2s and BLAKE3. Its four mixes of columns, and then of diagonals, do not depend on each other: they
// stand in the four lanes of vectors.
// #import lib/digest

// The sixteen words of the state, row by row.
struct blake32_Rows {
  a: vec4<u32>,
  b: vec4<u32>,
  c: vec4<u32>,
  d: vec4<u32>,
}

fn blake32_rotate(x: vec4<u32>, n: u32) -> vec4<u32> {
  return (x >> vec4<u32>(n)) | (x << vec4<u32>(32u - n));
}

// Four mixes, which take the words x and then y of the message.
fn blake32_mix(s: blake32_Rows, x: vec4<u32>, y: vec4<u32>) -> blake32_Rows {
  let a0 = s.a + s.b + x;
  let d0 = blake32_rotate(s.d ^ a0, 16u);
  let c0 = s.c + d0;
  let b0 = blake32_rotate(s.b ^ c0, 12u);
  let a1 = a0 + b0 + y;
  let d1 = blake32_rotate(d0 ^ a1, 8u);
  let c1 = c0 + d1;
  return blake32_Rows(a1, blake32_rotate(b0 ^ c1, 7u), c1, d1);
}

// Words of the message as the columns take them, then as the diagonals do.
fn blake32_round(s: blake32_Rows, x: vec4<u32>, y: vec4<u32>, z: vec4<u32>, w: vec4<u32>) -> blake32_Rows {
  let v = blake32_mix(s, x, y);
  let t = blake32_mix(blake32_Rows(v.a, v.b.yzwx, v.c.zwxy, v.d.wxyz), z, w);
  return blake32_Rows(t.a, t.b.wxyz, t.c.zwxy, t.d.yzwx);
}

// The first half of the state with the second half folded in.
fn blake32_fold(s: blake32_Rows) -> Digest {
  return Digest(s.a ^ s.c, s.b ^ s.d);
}
