/** The page over the built package: `cambium` is found through this repository's own package.json. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** With these headers threads share memory; the page works without them as well. */
const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative, so that the built page can be served under any path.
  base: './',
  worker: { format: 'es' },
  build: {
    outDir: fileURLToPath(new URL('../.cache/demo', import.meta.url)),
    emptyOutDir: true,
    // Constants of the larger hashes; each is loaded when its hash is chosen.
    chunkSizeWarningLimit: 300,
  },
  preview: { host: '127.0.0.1', port: 4173, headers: ISOLATED },
});
