/**
 * Sums of points of Grumpkin, y^2 = x^3 - 17 over the BN254 scalar field.
 *
 * A sum is (X, Y, ZZ, ZZZ) with x = X / ZZ, y = Y / ZZZ and ZZ^3 = ZZZ^2; ZZ is 0 for the identity. Adding an affine
 * point takes eight products and two squares, the last two products under one reduction. All coordinates are in
 * Montgomery form; those of sums stay below 11 p (X, Y) and 2 p (ZZ, ZZZ).
 */
import { fr } from '../../src/field/bn254.ts';
import { montgomeryLimbs, SHAPE } from '../../src/field/bn254-limbs.ts';

const one = montgomeryLimbs(fr.reduce(1n), SHAPE)
  .map((limb) => `${limb}u`)
  .join(', ');

export const wgsl = `
// #import field/bn254-fused
// #import field/bn254-inverse

// An affine point, which is never the identity, as it stands in tables: packed, canonical, in Montgomery form.
struct gr_Point {
  x: Digest,
  y: Digest,
}

struct gr_Sum {
  x: fr_Element,
  y: fr_Element,
  zz: fr_Element,
  zzz: fr_Element,
}

fn gr_one() -> fr_Element {
  return fr_Element(${one});
}

fn gr_from_point(p: gr_Point) -> gr_Sum {
  return gr_Sum(fr_unpack(p.x), fr_unpack(p.y), gr_one(), gr_one());
}

// Adds (x, y), or (x, -y) where negative; right for any two points.
fn gr_add(s: gr_Sum, x: fr_Element, y: fr_Element, negative: bool) -> gr_Sum {
  var p = fr_sub(fr_mul(x, s.zz), s.x);
  var r = fr_signed_sub(fr_mul(y, s.zzz), s.y, negative);
  var double = false;
  // Equal x: what fixed generators never meet, as far as anyone knows.
  if (fr_is_zero(p)) {
    if (fr_is_zero(s.zz)) {
      return gr_Sum(x, fr_signed_sub(y, fr_Element(), negative), gr_one(), gr_one());
    }
    if (!fr_is_zero(r)) {
      return gr_Sum();
    }
    // The tangent instead of the chord: the same formula for 2 Y and 3 X^2, but for one term.
    double = true;
    p = fr_add(s.y, s.y);
    let xx = fr_square(s.x);
    r = fr_add(fr_add(xx, xx), xx);
  }
  let pp = fr_square(p);
  let ppp = fr_mul(p, pp);
  let q = fr_mul(s.x, pp);
  var x3 = fr_sub_twice(fr_square(r), ppp, q);
  if (double) {
    x3 = fr_add(x3, ppp);
  }
  let y3 = fr_mul_sub(r, fr_sub(q, x3), s.y, ppp);
  return gr_Sum(x3, y3, fr_mul(s.zz, pp), fr_mul(s.zzz, ppp));
}

// The coordinate x, canonical and out of Montgomery form; 0 for the identity.
fn gr_x(s: gr_Sum) -> fr_Element {
  return fr_reduce(fr_divide(s.x, s.zz));
}
`;
