// The S-box of the Goldilocks hashes and its inverse.
// #import field/goldilocks

fn gl_pow7(x: gl_Element) -> gl_Element {
  let x2 = gl_square(x);
  return gl_mul(gl_square(x2), gl_mul(x2, x));
}

// x^(2^n)
fn gl_squares(x: gl_Element, n: u32) -> gl_Element {
  var y = x;
  for (var i = 0u; i < n; i += 1u) {
    y = gl_square(y);
  }
  return y;
}

// x^(1/7) = x^10540996611094048183: 63 squarings and 9 products. The binary exponent is 100100 ... 1001 000 110110 ... 110 111.
fn gl_root7(x: gl_Element) -> gl_Element {
  let x2 = gl_square(x);
  let x4 = gl_square(x2);
  let x7 = gl_mul(gl_mul(x4, x2), x);
  // In x4: 2^3 + 1, 2^9 + ... + 1, and so on: a one in every third place, of twelve, then of 24 bits.
  let e6 = gl_mul(gl_squares(x4, 3u), x4);
  let e12 = gl_mul(gl_squares(e6, 6u), e6);
  let e24 = gl_mul(gl_squares(e12, 12u), e12);
  let e30 = gl_mul(gl_squares(e24, 6u), e6);
  let e61 = gl_mul(gl_squares(e30, 31u), e30);
  return gl_mul(gl_squares(gl_mul(gl_square(e61), e30), 2u), x7);
}
