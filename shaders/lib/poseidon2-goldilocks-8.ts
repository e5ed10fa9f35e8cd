/** Plonky3's Poseidon2 of width 8. */
import { poseidon2Module, poseidon2Table } from './poseidon2-goldilocks.ts';

export const wgsl: string = poseidon2Module(8);

/** Storage of `@group(1)`, in the order of its bindings. */
export const tables: readonly Uint8Array[] = [poseidon2Table(8)];
