/** Bundles the CPU worker into `src/generated/worker.ts`: a source text, so that no bundler can lose a file. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { writeIfChanged } from './write.ts';

/** Writes the module that exports `source`. */
export async function generateWorker(root: string): Promise<void> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ['src/backend/cpu/worker.ts'],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'neutral',
    target: 'es2022',
    legalComments: 'none',
  });
  const text = result.outputFiles[0]!.text.trim();
  const lines = [
    '// Made from src/backend/cpu/worker.ts by scripts/generate/worker.ts.',
    `export const source: string = ${JSON.stringify(text)};`,
    '',
  ];
  writeIfChanged(join(root, 'src/generated/worker.ts'), lines.join('\n'));
}
