// A table too large to ship, made from a seed of it: `build_batch` writes the entries of one batch. The hash declares the
// seed at binding 0 and the table at binding 1, because their types are its own.
// #needs build_batch
// #import lib/index

struct build_Params {
  // Batches.
  count: u32,
}

@group(0) @binding(2) var<uniform> build_params: build_Params;

@compute @workgroup_size(64)
fn build(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = index_linear(group, groups, 64u, lane);
  if (i < build_params.count) {
    build_batch(i);
  }
}
