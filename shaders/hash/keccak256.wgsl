// The registry's `keccak256`.
// #import lib/keccak

// The domain bits and the first bit of padding.
const msg_PAD = 0x01u;
