// One digest: 32 bytes as they stand in memory. Words are little-endian, as WGSL reads them;
// a hash that counts big-endian swaps them itself.
struct Digest {
  low: vec4<u32>,
  high: vec4<u32>,
}
