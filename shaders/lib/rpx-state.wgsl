// RPX with one invocation for a whole state.
// #import lib/rescue-state

// An element a0 + a1 u + a2 u^2 of F_p[u] / (u^3 - u - 1).
struct cubic_Element {
  a0: gl_Element,
  a1: gl_Element,
  a2: gl_Element,
}

// The sum of the coefficients c0 + c3, c1 + c3 + c4 and c2 + c4 of a product: u^3 = u + 1, u^4 = u^2 + u.
fn cubic_fold(c0: vec3<u32>, c1: vec3<u32>, c2: vec3<u32>, c3: vec3<u32>, c4: vec3<u32>) -> cubic_Element {
  return cubic_Element(gl_from_parts(c0 + c3), gl_from_parts(c1 + c3 + c4), gl_from_parts(c2 + c4));
}

fn cubic_product(a: gl_Element, b: gl_Element) -> vec3<u32> {
  return gl_to_parts(gl_mul(a, b));
}

fn cubic_mul(a: cubic_Element, b: cubic_Element) -> cubic_Element {
  return cubic_fold(
    cubic_product(a.a0, b.a0),
    cubic_product(a.a0, b.a1) + cubic_product(a.a1, b.a0),
    cubic_product(a.a0, b.a2) + cubic_product(a.a1, b.a1) + cubic_product(a.a2, b.a0),
    cubic_product(a.a1, b.a2) + cubic_product(a.a2, b.a1),
    cubic_product(a.a2, b.a2),
  );
}

fn cubic_square(a: cubic_Element) -> cubic_Element {
  let two = vec3<u32>(1u);
  return cubic_fold(
    gl_to_parts(gl_square(a.a0)),
    cubic_product(a.a0, a.a1) << two,
    (cubic_product(a.a0, a.a2) << two) + gl_to_parts(gl_square(a.a1)),
    cubic_product(a.a1, a.a2) << two,
    gl_to_parts(gl_square(a.a2)),
  );
}

// The seventh powers of the four triples of a state, one a turn.
fn cubic_power(before: state_Parts) -> state_Parts {
  var s = before;
  for (var turn = 0u; turn < 4u; turn += 1u) {
    var square = cubic_Element(gl_from_parts(s[0]), gl_from_parts(s[1]), gl_from_parts(s[2]));
    var power = square;
    // x^2 and x^3, x^4 and x^7
    for (var i = 0u; i < 2u; i += 1u) {
      square = cubic_square(square);
      power = cubic_mul(square, power);
    }
    s = state_Parts(
      s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11],
      gl_to_parts(power.a0), gl_to_parts(power.a1), gl_to_parts(power.a2),
    );
  }
  return s;
}

// Rounds 0, 2 and 4 are RPO's, rounds 1, 3 and 5 have one half in the extension, round 6 is linear.
fn sponge_permute(before: state_Parts) -> state_Parts {
  var s = before;
  for (var half_round = 0u; half_round < 12u; half_round += 1u) {
    if ((half_round & 2u) == 0u) {
      s = state_add(rescue_multiply(s), rescue_constants[half_round].lanes);
      s = state_power(s, (half_round & 1u) == 1u);
    } else if ((half_round & 1u) == 0u) {
      s = cubic_power(state_add(s, rescue_constants[half_round].lanes));
    }
  }
  return state_carry(state_add(rescue_multiply(s), rescue_constants[12].lanes));
}
