/** Throughput reports: CPU against GPU, measured, compared, written down. */
export { measureReport } from './measure.js';
export * from './types.js';
