/** The registry's `poseidon-plonky2`. */
import { pairModule, spongeModule } from '../lib/gl-sponge.ts';
import { plonky } from '../lib/sponges.ts';

export const wgsl: string = `
// #without top
// #import lib/poseidon-plonky2
${spongeModule(plonky)}
${pairModule(plonky)}
`;
