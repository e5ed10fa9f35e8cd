/** `npm run test:cluster`: the tests over a real redis-server. Arguments go to vitest. */
import { runVitest } from './vitest.ts';

const args = process.argv.slice(2);
const files = args.some((arg) => !arg.startsWith('-')) ? args : ['test/cluster', ...args];
const { passed, failed, skipped, clean } = runVitest(
  ['--config', 'vitest.cluster.config.ts', ...files],
  process.env,
);
if (!clean || failed) process.exitCode = 1;
console.log(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped`);
