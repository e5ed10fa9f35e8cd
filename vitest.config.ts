import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      // Tests import `src/`: without this, the built platform module would bring a second copy of `errors`.
      '#platform': file('src/node/platform.ts'),
      // What is packed for browsers and Deno also runs here, to be compared.
      cambium: file('src/index.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    // They need a redis-server: `npm run test:cluster`.
    exclude: ['test/cluster/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
