// The top of a tree in one workgroup: up to nine levels from at most 512 nodes, a power of two times the parents of
// the last level. All levels are written, lowest first, one behind the other.
// #needs node_compress
// #import lib/digest

struct top_Params {
  // Parents of the lowest level, at most 256.
  count: u32,
  levels: u32,
}

@group(0) @binding(0) var<storage, read> top_nodes: array<Digest>;
@group(0) @binding(1) var<storage, read_write> top_parents: array<Digest>;
@group(0) @binding(2) var<uniform> top_params: top_Params;

var<workgroup> top_level: array<Digest, 256>;

@compute @workgroup_size(256)
fn top(@builtin(local_invocation_index) lane: u32) {
  var width = top_params.count;
  var first = 0u;
  var left: Digest;
  var right: Digest;
  if (lane < width) {
    left = top_nodes[2u * lane];
    right = top_nodes[2u * lane + 1u];
  }
  for (var level = 0u; level < top_params.levels; level += 1u) {
    if (lane < width) {
      let parent = node_compress(left, right);
      top_level[lane] = parent;
      top_parents[first + lane] = parent;
    }
    workgroupBarrier();
    first += width;
    width = width >> 1u;
    if (lane < width) {
      left = top_level[2u * lane];
      right = top_level[2u * lane + 1u];
    }
    workgroupBarrier();
  }
}
