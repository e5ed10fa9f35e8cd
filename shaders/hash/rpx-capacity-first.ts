/** The registry's `rpx-capacity-first`. */
import { pairModule, spongeModule } from '../lib/gl-sponge.ts';
import { midenCapacityFirst } from '../lib/sponges.ts';

export const wgsl: string = `
// #without top
// #import lib/rpx-state
${spongeModule(midenCapacityFirst)}
${pairModule(midenCapacityFirst)}
`;
