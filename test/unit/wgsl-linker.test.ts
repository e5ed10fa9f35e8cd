import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { linkWgsl } from '../../scripts/generate/wgsl-linker.ts';

const root = mkdtempSync(join(tmpdir(), 'linker-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Writes modules and returns their folder. */
function modules(files: Record<string, string>): string {
  const folder = mkdtempSync(join(root, 'shaders-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('WGSL linker', () => {
  it('puts each module once, behind what it stands on', async () => {
    const shaders = modules({
      'lib/a.wgsl': 'fn a() {}\n',
      'lib/b.wgsl': '// #import lib/a\nfn b() { a(); }\n',
      'kernel/c.wgsl': '// #import lib/a\n// #import lib/b\nfn c() { a(); b(); }\n',
    });
    const { wgsl } = await linkWgsl(shaders, ['lib/b', 'kernel/c']);
    expect(wgsl).toBe('fn a() {}\nfn b() { a(); }\nfn c() { a(); b(); }\n');
  });

  it('leaves comments and blank lines out, and moves directives to the front, once', async () => {
    const shaders = modules({
      'a.wgsl':
        'enable f16;\n// A comment.\nconst a = 1u; // behind code\n\n/* of\n two lines */\nconst b = 2u;\n',
      'b.wgsl': '// #import a\nenable f16;\nrequires packed_4x8;\nconst c = 3u;\n',
    });
    const { wgsl } = await linkWgsl(shaders, ['b']);
    expect(wgsl).toBe('enable f16;\nrequires packed_4x8;\nconst a = 1u;\nconst b = 2u;\nconst c = 3u;\n');
  });

  it('takes generated modules and their tables, in order', async () => {
    const shaders = modules({
      'lib/t.ts': 'export const wgsl = "const t = 1u;"; export const tables = [Uint8Array.of(7)];\n',
      'u.ts':
        'export const wgsl = "// #import lib/t\\nconst u = 2u;"; export const tables = [Uint8Array.of(8)];\n',
    });
    const { wgsl, tables } = await linkWgsl(shaders, ['u']);
    expect(wgsl).toBe('const t = 1u;\nconst u = 2u;\n');
    expect(tables.map((table) => [...table])).toEqual([[7], [8]]);
  });

  it('names a missing module and who asked for it', async () => {
    const shaders = modules({ 'hash/x.wgsl': '// #import field/none\n' });
    await expect(linkWgsl(shaders, ['hash/x'])).rejects.toThrow(
      'hash/x: there is no shader module field/none',
    );
    await expect(linkWgsl(shaders, ['hash/y'])).rejects.toThrow('linker: there is no shader module hash/y');
  });

  it('names the modules of a cycle', async () => {
    const shaders = modules({
      'a.wgsl': '// #import b\n',
      'b.wgsl': '// #import c\n',
      'c.wgsl': '// #import a\n',
    });
    await expect(linkWgsl(shaders, ['a'])).rejects.toThrow('shader modules import each other: a > b > c > a');
  });
});
