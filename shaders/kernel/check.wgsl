// The first element that is not below its modulus, of leaves or of a layer that a user hands in.
// #needs element_canonical
// #import lib/index

struct check_Params {
  // Elements of this dispatch.
  count: u32,
  // Elements before it.
  first: u32,
}

@group(0) @binding(0) var<storage, read> check_words: array<u32>;
// Position of the first element that is not canonical; the host puts the greatest word there.
@group(0) @binding(1) var<storage, read_write> check_found: atomic<u32>;
@group(0) @binding(2) var<uniform> check_params: check_Params;

@compute @workgroup_size(64)
fn check(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = index_linear(group, groups, 64u, lane);
  if (i >= check_params.count) {
    return;
  }
  var words: array<u32, element_WORDS>;
  for (var k = 0u; k < element_WORDS; k += 1u) {
    words[k] = check_words[i * element_WORDS + k];
  }
  if (!element_canonical(words)) {
    atomicMin(&check_found, check_params.first + i);
  }
}
