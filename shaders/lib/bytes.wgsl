// The four bytes of a word in opposite order.
fn bytes_swap(x: u32) -> u32 {
  return (x << 24u) | ((x & 0xff00u) << 8u) | ((x >> 8u) & 0xff00u) | (x >> 24u);
}
