/** The registry's `poseidon2-plonky3-8`. */
import { pairModule, spongeModule } from '../lib/gl-sponge.ts';
import { plonkyNarrow } from '../lib/sponges.ts';

export const wgsl: string = `
// #without top
// #import lib/poseidon2-goldilocks-8
${spongeModule(plonkyNarrow)}
${pairModule(plonkyNarrow)}
`;
