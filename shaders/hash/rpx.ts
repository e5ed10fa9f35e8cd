/** The registry's `rpx`. */
import { pairModule, spongeModule } from '../lib/gl-sponge.ts';
import { midenRateFirst } from '../lib/sponges.ts';

export const wgsl: string = `
// #without top
// #import lib/rpx-state
${spongeModule(midenRateFirst)}
${pairModule(midenRateFirst)}
`;
