/** Writes `src/generated/gpu/<hash>.ts`: each kernel that a hash can run, linked. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { linkWgsl } from './wgsl-linker.ts';

/** Names of the modules of a folder, without their endings. */
const modulesOf = (folder: string): string[] =>
  readdirSync(folder).map((file) => basename(file).replace(/\.(wgsl|ts)$/, ''));

/** The functions that a kernel expects of a hash: its `// #needs` lines. */
function needsOf(kernel: string): string[] {
  return [...kernel.matchAll(/^\/\/ #needs (\S+)\s*$/gm)].map(([, name]) => name!);
}

/** A one-word note at the head of a kernel, such as `// #provides pairs`. */
function noteOf(kernel: string, key: string): string | undefined {
  return new RegExp(`^// #${key} (\\S+)\\s*$`, 'm').exec(kernel)?.[1];
}

/** Kernels that a hash could run and has no use for: its `// #without` lines. */
function kernelsWithout(shaders: string, id: string): Set<string> {
  const path = join(shaders, `hash/${id}`);
  const text = readFileSync(existsSync(`${path}.wgsl`) ? `${path}.wgsl` : `${path}.ts`, 'utf8');
  return new Set([...text.matchAll(/^\/\/ #without (\S+)\s*$/gm)].map(([, name]) => name!));
}

const defines = (wgsl: string, name: string): boolean => new RegExp(`\\bfn ${name}\\b`).test(wgsl);

/** The module of one hash, which satisfies `GpuKernels`. */
async function hashModule(shaders: string, id: string): Promise<string> {
  const hash = await linkWgsl(shaders, [`hash/${id}`]);
  const without = kernelsWithout(shaders, id);
  const lines = ['// Written by scripts/generate.ts from shaders/.'];
  for (const kernel of modulesOf(join(shaders, 'kernel'))) {
    const text = readFileSync(join(shaders, `kernel/${kernel}.wgsl`), 'utf8');
    if (without.has(kernel) || !needsOf(text).every((name) => defines(hash.wgsl, name))) continue;
    const { wgsl } = await linkWgsl(shaders, [`hash/${id}`, `kernel/${kernel}`]);
    // A hash that works across invocations brings a kernel of its own in the place of a general one.
    const name = noteOf(text, 'provides') ?? kernel;
    lines.push(`export const ${name}: string = ${JSON.stringify(wgsl)};`);
    const group = noteOf(text, 'group');
    if (group) lines.push(`export const ${name}PerGroup: number = ${group};`);
  }
  const tables = hash.tables.map((table) => `decode('${Buffer.from(table).toString('base64')}')`);
  if (tables.length) {
    lines.push('const decode = (base64: string): Uint8Array =>');
    lines.push('  Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));');
    lines.push(`export const tables: readonly Uint8Array[] = [${tables.join(', ')}];`);
  }
  return `${lines.join('\n')}\n`;
}

/** Links the kernels of every hash in `shaders/hash`; a file is only touched when its text changes. */
export async function generateGpuKernels(root: string): Promise<void> {
  const shaders = join(root, 'shaders');
  const folder = join(root, 'src/generated/gpu');
  mkdirSync(folder, { recursive: true });
  for (const id of modulesOf(join(shaders, 'hash'))) {
    const path = join(folder, `${id}.ts`);
    const text = await hashModule(shaders, id);
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  }
}
