/** The layouts that Goldilocks hashes use. */
import type { Sponge } from './gl-sponge.ts';

/** miden-crypto from v0.21 on. */
export const midenRateFirst: Required<Sponge> = { rate: 8, first: 0, lengthLane: 8 };
/** miden-crypto until v0.20. */
export const midenCapacityFirst: Required<Sponge> = { rate: 8, first: 4, lengthLane: 0 };
/** Plonky2, and Plonky3 with a state of twelve. */
export const plonky: Sponge = { rate: 8, first: 0 };
/** Plonky3 with a state of eight: a pair fills the whole state. */
export const plonkyNarrow: Sponge = { rate: 4, first: 0 };
