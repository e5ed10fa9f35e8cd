// RPO with one invocation for each of the twelve lanes of a state.
//
// The inverse S-boxes are one long chain of products: twelve invocations give a twelfth of the latency, and need
// half the registers.
// #import lib/rescue

// Parts of all lanes of the sixteen states of a workgroup. Each state stands twice, one copy behind the other: what is
// right of a lane then needs no remainder.
var<workgroup> lanes_parts: array<array<u32, 384>, 3>;

fn lanes_share(part: u32, at: u32, value: u32) {
  lanes_parts[part][at] = value;
  lanes_parts[part][at + 12u] = value;
}

fn lanes_row(part: u32, at: u32) -> u32 {
  var v: array<u32, 12>;
  for (var i = 0u; i < 12u; i += 1u) {
    v[i] = lanes_parts[part][at + i];
  }
  return rescue_row(v);
}

// The matrix and the constants of a half round, for one lane.
fn lanes_linear(x: gl_Element, half_round: u32, state: u32, lane: u32) -> gl_Element {
  let at = state * 24u + lane;
  let parts = gl_to_parts(x);
  lanes_share(0u, at, parts.x);
  lanes_share(1u, at, parts.y);
  lanes_share(2u, at, parts.z);
  workgroupBarrier();
  let mixed = vec3<u32>(lanes_row(0u, at), lanes_row(1u, at), lanes_row(2u, at));
  workgroupBarrier();
  return gl_from_parts(mixed + rescue_constants[half_round].lanes[lane]);
}

// One lane of the permutation; all invocations of a workgroup call it together.
fn lanes_permute(x: gl_Element, state: u32, lane: u32) -> gl_Element {
  var y = x;
  for (var half_round = 0u; half_round < 14u; half_round += 1u) {
    y = gl_power(lanes_linear(y, half_round, state, lane), (half_round & 1u) == 1u);
  }
  return y;
}
