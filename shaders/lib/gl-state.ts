/** A permutation's state in one invocation: an array of elements in parts. */

const list = (width: number, item: (i: number) => string): string =>
  Array.from({ length: width }, (_, i) => item(i)).join(', ');

/**
 * The type `state_Parts`, and `state_power`, which raises every element to its seventh power or to that root.
 *
 * `perTurn` elements a turn, always the first ones, and then the array is rotated: a running index would move it from
 * registers to memory, and a body for each element would not fit the instruction cache.
 */
export function stateModule(width: number, perTurn: number): string {
  const powers = Array.from(
    { length: perTurn },
    (_, i) => `    let p${i} = gl_to_parts(gl_power(gl_from_parts(s[${i}]), root));`,
  );
  return `
// #import field/goldilocks-powers

alias state_Parts = array<vec3<u32>, ${width}>;

fn state_power(before: state_Parts, root: bool) -> state_Parts {
  var s = before;
  for (var turn = 0u; turn < ${width / perTurn}u; turn += 1u) {
${powers.join('\n')}
    s = state_Parts(${list(width, (i) => (i < width - perTurn ? `s[${i + perTurn}]` : `p${i + perTurn - width}`))});
  }
  return s;
}

fn state_add(s: state_Parts, t: state_Parts) -> state_Parts {
  return state_Parts(${list(width, (i) => `s[${i}] + t[${i}]`)});
}

// With every part below 2^22 again.
fn state_carry(s: state_Parts) -> state_Parts {
  return state_Parts(${list(width, (i) => `gl_carry_parts(s[${i}])`)});
}
`;
}

/** `fn NAME(s: state_Parts) -> state_Parts`: a function on columns of parts, applied to each of the three. */
export function onParts(name: string, column: string, width: number): string {
  const apply = (part: string): string =>
    `  let ${part} = ${column}(array<u32, ${width}>(${list(width, (i) => `s[${i}].${part}`)}));`;
  return `
fn ${name}(s: state_Parts) -> state_Parts {
${['x', 'y', 'z'].map(apply).join('\n')}
  return state_Parts(${list(width, (i) => `vec3<u32>(x[${i}], y[${i}], z[${i}])`)});
}
`;
}
