/** The page over the built package: `cambium` is found through this repository's own package.json. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** With these headers threads share memory; the page works without them as well. */
const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const QUIET = {
  checks: {
    // The report needs SHA-256 from the start; the other hashes are loaded when they are chosen.
    ineffectiveDynamicImport: false,
    pluginTimings: false,
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative, so that the built page can be served under any path.
  base: './',
  worker: { format: 'es', rolldownOptions: QUIET },
  build: {
    outDir: fileURLToPath(new URL('../.cache/demo', import.meta.url)),
    emptyOutDir: true,
    // Constants of the larger hashes; each is loaded when its hash is chosen.
    chunkSizeWarningLimit: 500,
    rolldownOptions: QUIET,
  },
  preview: { host: '127.0.0.1', port: 4173, headers: ISOLATED },
});
