// Rows of field elements to digests.
//
// Element j of row i stands at i * row_stride + j * element_stride, so that columns do as well as rows.
// #needs row_absorb
// #import lib/digest
// #import lib/index

// How a row is hashed: as it is, as it is unless it fits a digest, or with a one, zeros and a one behind it.
const rows_HASH = 0u;
const rows_OR_NOOP = 1u;
const rows_PAD = 2u;

struct rows_Params {
  count: u32,
  // Elements of a row.
  elements: u32,
  rule: u32,
  // Distances in elements.
  row_stride: u32,
  element_stride: u32,
}

@group(0) @binding(0) var<storage, read> rows_words: array<u32>;
@group(0) @binding(1) var<storage, read_write> rows_digests: array<Digest>;
@group(0) @binding(2) var<uniform> rows_params: rows_Params;

const rows_RATE = row_WORDS / element_WORDS;

// Elements with the padding of the rule: whole blocks for rows_PAD.
fn rows_padded() -> u32 {
  let elements = rows_params.elements;
  return select(elements, (elements + 1u) / rows_RATE * rows_RATE + rows_RATE, rows_params.rule == rows_PAD);
}

// Word `k` of element `j` of row `i`, which may be padding or nothing.
fn rows_word(i: u32, j: u32, k: u32) -> u32 {
  if (j < rows_params.elements) {
    let element = i * rows_params.row_stride + j * rows_params.element_stride;
    return rows_words[element * element_WORDS + k];
  }
  let one = rows_params.rule == rows_PAD && (j == rows_params.elements || j + 1u == rows_padded());
  return select(0u, row_ONE[k], one);
}

fn rows_block(i: u32, first: u32) -> array<u32, row_WORDS> {
  var block: array<u32, row_WORDS>;
  for (var k = 0u; k < row_WORDS; k += 1u) {
    block[k] = rows_word(i, first + k / element_WORDS, k % element_WORDS);
  }
  return block;
}

// A row that fits a digest, as one.
fn rows_copy(i: u32) -> Digest {
  var words: array<u32, 8>;
  for (var k = 0u; k < 8u; k += 1u) {
    words[k] = rows_word(i, k / element_WORDS, k % element_WORDS);
  }
  return Digest(
    vec4<u32>(words[0], words[1], words[2], words[3]),
    vec4<u32>(words[4], words[5], words[6], words[7]),
  );
}

@compute @workgroup_size(64)
fn rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = index_linear(group, groups, 64u, lane);
  if (i >= rows_params.count) {
    return;
  }
  if (rows_params.rule == rows_OR_NOOP && rows_params.elements * element_WORDS <= 8u) {
    rows_digests[i] = rows_copy(i);
    return;
  }
  let padded = rows_padded();
  var state = row_init(padded);
  for (var first = 0u; first < padded; first += rows_RATE) {
    state = row_absorb(state, rows_block(i, first), min(rows_RATE, padded - first));
  }
  rows_digests[i] = row_finish(state);
}
