// Sums of fixed points times elements, by tables of windows. `src/hash/pedersen-bn254-windows.ts` says what they hold.
// #import curve/grumpkin

struct pd_Table {
  // Bits of a window, and windows of an element but for its two top bits.
  bits: u32,
  windows: u32,
  // Place of the points for top bits, four an element. Before them come those that sums start from.
  tops: u32,
  // Place of the points for windows.
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

// The two bits above all windows.
fn pd_top(words: Digest) -> u32 {
  return words.high.w >> 28u;
}

fn pd_shift(w: Digest, bits: u32) -> Digest {
  let above = vec4<u32>(32u - bits);
  return Digest(
    (w.low >> vec4<u32>(bits)) | (vec4<u32>(w.low.yzw, w.high.x) << above),
    (w.high >> vec4<u32>(bits)) | (vec4<u32>(w.high.yzw, 0u) << above),
  );
}

// The point that a window adds, and whether it is taken away instead.
struct pd_Addend {
  point: gr_Point,
  negative: bool,
}

// The lowest bits of `words` choose it; the window behind the last one is that of the two top bits.
fn pd_addend(words: Digest, position: u32, window: u32) -> pd_Addend {
  let half = 1u << (pd_table.bits - 1u);
  let digit = words.low.x;
  // A digit stands for an odd number, and with all its bits flipped for the same below zero.
  let below = (digit & half) == 0u;
  let odd = select(digit, ~digit, below) & (half - 1u);
  let place = pd_table.first + (position * pd_table.windows + window) * half + odd;
  let top = pd_table.tops + 4u * position + (digit & 3u);
  let last = window == pd_table.windows;
  return pd_Addend(pd_table.points[select(place, top, last)], below && !last);
}

fn pd_plus(sum: gr_Sum, a: pd_Addend) -> gr_Sum {
  return gr_add(sum, fr_unpack(a.point.x), fr_unpack(a.point.y), a.negative);
}
