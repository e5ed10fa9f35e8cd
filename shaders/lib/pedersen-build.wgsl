// What `kernel/build` asks of Pedersen: each point of a window is the sum of two points of its seed.
// #import lib/pedersen-windows

struct build_Seed {
  bits: u32,
  windows: u32,
  tops: u32,
  // Points that the table begins with; the pairs of combs follow, a pair for each window.
  first: u32,
  // Bits of a place that count points of the first comb; the others count those of the second.
  fine_bits: u32,
  points: array<gr_Point>,
}

@group(0) @binding(0) var<storage, read> build_seed: build_Seed;
@group(0) @binding(1) var<storage, read_write> build_table: pd_Table;

// Points that share an inversion.
const build_BATCH = 16u;

// The places of the two points that make point `i` of the windows.
fn build_places(i: u32) -> vec2<u32> {
  let half = 1u << (build_seed.bits - 1u);
  let fine = 1u << build_seed.fine_bits;
  let comb = build_seed.first + (i / half) * (fine + half / fine);
  let place = i % half;
  return vec2<u32>(comb + place % fine, comb + fine + place / fine);
}

fn build_difference(places: vec2<u32>) -> fr_Element {
  return fr_sub(fr_unpack(build_seed.points[places.y].x), fr_unpack(build_seed.points[places.x].x));
}

// The sum of two points of different x, by the inverse of the difference.
fn build_sum(a: gr_Point, b: gr_Point, inverse: fr_Element) -> gr_Point {
  let ax = fr_unpack(a.x);
  let ay = fr_unpack(a.y);
  let slope = fr_mul(fr_sub(fr_unpack(b.y), ay), inverse);
  let x = fr_reduce(fr_sub(fr_sub(fr_square(slope), ax), fr_unpack(b.x)));
  let y = fr_reduce(fr_sub(fr_mul(slope, fr_sub(ax, x)), ay));
  return gr_Point(fr_pack(x), fr_pack(y));
}

// Makes the points of a batch; those at the start of the table are copied. Until a point is made, its place holds the
// product of the differences before it.
fn build_batch(batch: u32) {
  if (batch == 0u) {
    build_table.bits = build_seed.bits;
    build_table.windows = build_seed.windows;
    build_table.tops = build_seed.tops;
    build_table.first = build_seed.first;
  }
  let count = arrayLength(&build_table.points);
  var product = gr_one();
  for (var k = 0u; k < build_BATCH; k += 1u) {
    let i = batch * build_BATCH + k;
    if (i >= build_seed.first && i < count) {
      build_table.points[i].x = fr_pack(product);
      let places = build_places(i - build_seed.first);
      product = fr_mul(product, build_difference(places));
    }
  }
  var inverse = fr_inverse(product);
  for (var k = build_BATCH; k > 0u; k -= 1u) {
    let i = batch * build_BATCH + k - 1u;
    if (i >= count) {
      continue;
    }
    if (i < build_seed.first) {
      build_table.points[i] = build_seed.points[i];
      continue;
    }
    let places = build_places(i - build_seed.first);
    build_table.points[i] = build_sum(
      build_seed.points[places.x],
      build_seed.points[places.y],
      fr_mul(inverse, fr_unpack(build_table.points[i].x)),
    );
    inverse = fr_mul(inverse, build_difference(places));
  }
}
