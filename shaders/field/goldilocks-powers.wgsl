// The S-box of the Goldilocks hashes and its inverse.
// #import field/goldilocks

// Squarings before each of the last seven products of a root.
const gl_SQUARINGS = array<u32, 7>(3u, 6u, 12u, 6u, 31u, 1u, 2u);

// x^7, or its inverse x^(1/7) = x^10540996611094048183 by 63 squarings and 9 products. Every body stands once: the
// kernel fits the smallest instruction caches.
fn gl_power(x: gl_Element, root: bool) -> gl_Element {
  let x2 = gl_square(x);
  let x4 = gl_square(x2);
  let x7 = gl_mul(gl_mul(x2, x), x4);
  if (!root) {
    return x7;
  }
  // x^4 to the powers 2^3 + 1, 2^9 + 2^6 + 2^3 + 1, ...: a one in every third place, of 6, 12, 24, 30 and 61 bits.
  var y = x4;
  var factor = x4;
  var six = x4;
  for (var step = 0u; step < 7u; step += 1u) {
    switch step {
      case 0u, 2u, 4u: {
        factor = y;
      }
      case 1u: {
        factor = y;
        six = y;
      }
      case 3u: {
        factor = six;
      }
      case 6u: {
        factor = x7;
      }
      default: {}
    }
    for (var i = gl_SQUARINGS[step]; i > 0u; i -= 1u) {
      y = gl_square(y);
    }
    y = gl_mul(y, factor);
  }
  return y;
}

fn gl_pow7(x: gl_Element) -> gl_Element {
  return gl_power(x, false);
}
