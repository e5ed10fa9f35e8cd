/** The registry's `poseidon2-miden`. */
import { pairModule, spongeModule } from '../lib/gl-sponge.ts';
import { midenRateFirst } from '../lib/sponges.ts';

export const wgsl: string = `
// #without top
// #import lib/poseidon2-goldilocks-12
${spongeModule(midenRateFirst)}
${pairModule(midenRateFirst)}
`;
