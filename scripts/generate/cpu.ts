/** Assembles the CPU kernels into `src/generated/cpu/<id>.ts`: WASM as base64 inside ES modules. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { KernelBuild, KernelSource } from '../../kernels/lib/kernel.ts';
import { writeIfChanged } from './write.ts';

/** Binaryen takes a second to load and to optimise, so what it made is kept by the hash of what went in. */
async function assembled(root: string, { text, passes }: KernelBuild): Promise<Buffer> {
  const lock = readFileSync(join(root, 'node_modules/binaryen/package.json'), 'utf8');
  const { version } = JSON.parse(lock) as { version: string };
  const key = createHash('sha256')
    .update(JSON.stringify([version, passes, text]))
    .digest('hex');
  const path = join(root, '.cache/kernels', `${key}.wasm`);
  if (existsSync(path)) return readFileSync(path);
  const { assemble } = await import('../../kernels/lib/assemble.ts');
  const bytes = Buffer.from(assemble(text, passes));
  mkdirSync(join(root, '.cache/kernels'), { recursive: true });
  writeFileSync(path, bytes);
  return bytes;
}

async function moduleText(root: string, id: string, { builds, native }: KernelSource): Promise<string> {
  const rows: string[] = [];
  for (const build of builds) {
    const base64 = (await assembled(root, build)).toString('base64');
    rows.push(`  { feature: '${build.feature}', bytes: () => fromBase64('${base64}') },`);
  }
  return [
    `// Made from kernels/hash/${id}.ts by scripts/generate/cpu.ts.`,
    "import { fromBase64 } from '../../base64.js';",
    "import type { CpuKernels } from '../../hash/types.js';",
    '',
    `export const builds: CpuKernels['builds'] = [`,
    ...rows,
    '];',
    ...(native ? [`export const native: '${native}' = '${native}';`] : []),
    '',
  ].join('\n');
}

/** Writes one module for each file of `kernels/hash/`. */
export async function generateCpuKernels(root: string): Promise<void> {
  const folder = join(root, 'kernels/hash');
  for (const file of readdirSync(folder).sort()) {
    const id = file.replace(/\.ts$/, '');
    const { kernels } = (await import(pathToFileURL(join(folder, file)).href)) as { kernels: KernelSource };
    writeIfChanged(join(root, 'src/generated/cpu', `${id}.ts`), await moduleText(root, id, kernels));
  }
}
