// RPO with one invocation for a whole state.
// #import lib/rescue-state

fn sponge_permute(before: state_Parts) -> state_Parts {
  var s = before;
  for (var half_round = 0u; half_round < 14u; half_round += 1u) {
    s = state_add(rescue_multiply(s), rescue_constants[half_round].lanes);
    s = state_power(s, (half_round & 1u) == 1u);
  }
  return s;
}
