// A layer of pairs: `count` parents from twice as many nodes.
// #needs node_compress
// #import lib/digest
// #import lib/index

struct pairs_Params {
  count: u32,
}

@group(0) @binding(0) var<storage, read> pairs_nodes: array<Digest>;
@group(0) @binding(1) var<storage, read_write> pairs_parents: array<Digest>;
@group(0) @binding(2) var<uniform> pairs_params: pairs_Params;

@compute @workgroup_size(64)
fn pairs(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = index_linear(group, groups, 64u, lane);
  if (i >= pairs_params.count) {
    return;
  }
  pairs_parents[i] = node_compress(pairs_nodes[2u * i], pairs_nodes[2u * i + 1u]);
}
