// The registry's `rpo-capacity-first`.
// #import lib/sponge-capacity-first
// #import lib/rpo-lanes
