/** Throughput reports: CPU against GPU, measured, compared, written down. */
export { type ComparedPoint, type Comparison, compareReports } from './compare.js';
export { crossoverOf } from './crossover.js';
export { reportToHtml } from './html.js';
export { reportToMarkdown } from './markdown.js';
export { measureReport } from './measure.js';
export { parseReport } from './parse.js';
export { type HashSummary, summarize } from './summary.js';
export * from './types.js';
