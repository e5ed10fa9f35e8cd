// A layer of pairs, for a sponge of twelve lanes whose permutation takes an invocation for each lane.
// #provides pairs
// #group 16
// #needs lanes_permute
// #import lib/index

struct pairs_Params {
  count: u32,
}

// A digest is four elements of two words.
@group(0) @binding(0) var<storage, read> pairs_nodes: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> pairs_parents: array<vec2<u32>>;
@group(0) @binding(2) var<uniform> pairs_params: pairs_Params;

@compute @workgroup_size(192)
fn pairs(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) invocation: u32,
) {
  let state = invocation / 12u;
  let lane = invocation % 12u;
  let i = index_linear(group, groups, 16u, state);
  let inside = i < pairs_params.count;
  // The place of a lane in the pair, and in the digest; the capacity lies outside of both.
  let place = lane - sponge_RATE;
  var words = vec2<u32>();
  if (inside && place < 8u) {
    words = pairs_nodes[8u * i + place];
  }
  // All invocations meet at its barriers, those behind the last pair too.
  let x = lanes_permute(gl_from_words(words), state, lane);
  if (inside && place < 4u) {
    pairs_parents[4u * i + place] = gl_to_words(x);
  }
}
