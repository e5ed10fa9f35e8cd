/** The registry's `rpo-capacity-first`. */
import { spongeModule } from '../lib/gl-sponge.ts';
import { midenCapacityFirst } from '../lib/sponges.ts';

export const wgsl: string = `
// #import lib/rpo-state
// #import lib/rpo-lanes
${spongeModule(midenCapacityFirst)}
`;
