// Rows of field elements to digests, for a hash that adds up points. All windows of all elements go through one loop:
// two, one inside the other, around so large a state take software adapters five times as long to compile.
//
// Element j of row i stands at i * row_stride + j * element_stride, so that columns do as well as rows.
// #provides rows
// #needs sum_add
// #import lib/digest
// #import lib/index

// The rule of `kernel/rows` by which a row of one element is its own digest.
const sums_OR_NOOP = 1u;

struct sums_Params {
  count: u32,
  // Elements of a row.
  elements: u32,
  rule: u32,
  // Distances in elements.
  row_stride: u32,
  element_stride: u32,
}

@group(0) @binding(0) var<storage, read> sums_elements: array<Digest>;
@group(0) @binding(1) var<storage, read_write> sums_digests: array<Digest>;
@group(0) @binding(2) var<uniform> sums_params: sums_Params;

@compute @workgroup_size(64)
fn rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = index_linear(group, groups, 64u, lane);
  if (i >= sums_params.count) {
    return;
  }
  let first = i * sums_params.row_stride;
  if (sums_params.rule == sums_OR_NOOP && sums_params.elements == 1u) {
    sums_digests[i] = sums_elements[first];
    return;
  }
  var sum = sum_start(sums_params.elements);
  var words: sum_Words;
  var position = 0u;
  var step = 0u;
  for (var left = sums_params.elements * sum_steps(); left > 0u; left -= 1u) {
    if (step == 0u) {
      words = sum_words(sums_elements[first + position * sums_params.element_stride]);
    }
    sum = sum_add(sum, words, position, step);
    words = sum_next(words);
    step += 1u;
    if (step == sum_steps()) {
      step = 0u;
      position += 1u;
    }
  }
  sums_digests[i] = sum_finish(sum);
}
