// Sums of fixed points times elements, by tables of windows. `src/hash/pedersen-bn254-tables.ts` says what they hold.
// #import curve/grumpkin

struct pd_Table {
  // Bits of a window, and windows of an element but for its two top bits.
  bits: u32,
  windows: u32,
  // Points that belong to one element.
  stride: u32,
  // Place of the first one; before it come the points that sums start from.
  first: u32,
  points: array<gr_Point>,
}

@group(1) @binding(0) var<storage, read> pd_table: pd_Table;

// The 32 bytes of an element as words, lowest first.
fn pd_words(d: Digest) -> Digest {
  return Digest(
    vec4<u32>(bytes_swap(d.high.w), bytes_swap(d.high.z), bytes_swap(d.high.y), bytes_swap(d.high.x)),
    vec4<u32>(bytes_swap(d.low.w), bytes_swap(d.low.z), bytes_swap(d.low.y), bytes_swap(d.low.x)),
  );
}

fn pd_shift(w: Digest, bits: u32) -> Digest {
  let above = 32u - bits;
  return Digest(
    (w.low >> vec4<u32>(bits)) | (vec4<u32>(w.low.yzw, w.high.x) << vec4<u32>(above)),
    (w.high >> vec4<u32>(bits)) | (vec4<u32>(w.high.yzw, 0u) << vec4<u32>(above)),
  );
}

// Adds the windows of two elements, whose tables lie one behind the other.
fn pd_add_pair(start: gr_Sum, left: Digest, right: Digest) -> gr_Sum {
  let half = 1u << (pd_table.bits - 1u);
  var sum = start;
  var words = left;
  var base = pd_table.first;
  for (var side = 0u; side < 2u; side += 1u) {
    for (var window = 0u; window < pd_table.windows; window += 1u) {
      // A digit stands for an odd number; with its bits flipped, for the same below zero.
      let positive = (words.low.x & half) != 0u;
      let place = select(~words.low.x, words.low.x, positive) & (half - 1u);
      let point = pd_table.points[base + window * half + place];
      sum = gr_add(sum, fr_unpack(point.x), fr_unpack(point.y), !positive);
      words = pd_shift(words, pd_table.bits);
    }
    words = right;
    base += pd_table.stride;
  }
  return sum;
}
