// The registry's `pedersen-bn254`.
// #without top
// #import lib/pedersen-sums
// #import lib/pedersen-build
// #import lib/bn254-element

fn node_compress(left: Digest, right: Digest) -> Digest {
  var words = pd_words(left);
  let last = pd_words(right);
  // The sum starts from one of sixteen points that hold the length and the top bits of both.
  var sum = gr_from_point(pd_table.points[4u * pd_top(words) + pd_top(last)]);
  for (var i = 0u; i < 2u * pd_table.windows; i += 1u) {
    let position = select(0u, 1u, i >= pd_table.windows);
    if (i == pd_table.windows) {
      words = last;
    }
    sum = pd_plus(sum, pd_addend(words, position, i - position * pd_table.windows));
    words = pd_shift(words, pd_table.bits);
  }
  return fr_to_digest(gr_x(sum));
}
