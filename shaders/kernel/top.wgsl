// The top of a tree in one workgroup: up to nine levels from at most 512 nodes, a power of two times the parents of
// the last level. All levels are written, lowest first, one behind the other, and each is read from there: a workgroup
// array would make compilers zero it first and hold more registers, for a few hundred reads that the cache answers.
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

@compute @workgroup_size(256)
fn top(@builtin(local_invocation_index) lane: u32) {
  var width = top_params.count;
  var first = 0u;
  for (var level = 0u; level < top_params.levels; level += 1u) {
    if (lane < width) {
      var left: Digest;
      var right: Digest;
      if (level == 0u) {
        left = top_nodes[2u * lane];
        right = top_nodes[2u * lane + 1u];
      } else {
        // The level below lies right before this one, twice as wide.
        let child = first - 2u * (width - lane);
        left = top_parents[child];
        right = top_parents[child + 1u];
      }
      top_parents[first + lane] = node_compress(left, right);
    }
    storageBarrier();
    first += width;
    width = width >> 1u;
  }
}
