// The sixteen words of two digests, one behind the other.
// #import lib/digest
fn digest_words(left: Digest, right: Digest) -> array<u32, 16> {
  return array<u32, 16>(
    left.low.x, left.low.y, left.low.z, left.low.w,
    left.high.x, left.high.y, left.high.z, left.high.w,
    right.low.x, right.low.y, right.low.z, right.low.w,
    right.high.x, right.high.y, right.high.z, right.high.w,
  );
}
