/** The registry's `poseidon2-plonky3-12`. */
import { pairModule, spongeModule } from '../lib/gl-sponge.ts';
import { plonky } from '../lib/sponges.ts';

export const wgsl: string = `
// #without top
// #import lib/poseidon2-goldilocks-12
${spongeModule(plonky)}
${pairModule(plonky)}
`;
