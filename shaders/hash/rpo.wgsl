// The registry's `rpo`.
// #import lib/sponge-rate-first
// #import lib/rpo-lanes
