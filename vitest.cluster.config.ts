/** The tests over a real redis-server: one file after the other, so that each has the machine's cores for its workers. */
import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/cluster/**/*.test.ts'],
    exclude: [],
    fileParallelism: false,
    testTimeout: 180_000,
  },
});
