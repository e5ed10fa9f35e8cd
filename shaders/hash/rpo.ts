/** The registry's `rpo`. */
import { spongeModule } from '../lib/gl-sponge.ts';
import { midenRateFirst } from '../lib/sponges.ts';

export const wgsl: string = `
// #import lib/rpo-state
// #import lib/rpo-lanes
${spongeModule(midenRateFirst)}
`;
