/** RPO and RPX with one invocation for a whole state: for rows and messages, of which there are many. */
import { circulantRows } from './circulant.ts';
import { onParts, stateModule } from './gl-state.ts';

export const wgsl = `
// #import lib/rescue
${stateModule(12, 1)}
${circulantRows('rescue_rows', 'rescue_row', 12)}
${onParts('rescue_multiply', 'rescue_rows', 12)}
`;
