/**
 * Joins WGSL modules into one text.
 *
 * A module is `shaders/NAME.wgsl`, or `shaders/NAME.ts` exporting `wgsl` where the text is generated. It names what it
 * stands on by lines of the form `// #import field/bn254`. Each module comes once, behind its imports.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a `.ts` shader module exports. */
interface ShaderModule {
  readonly wgsl: string;
  /** Read-only storage of `@group(1)`, in the order of bindings. */
  readonly tables?: readonly Uint8Array[];
}

export interface LinkedShader {
  /** Without comments and blank lines. */
  readonly wgsl: string;
  readonly tables: readonly Uint8Array[];
}

const IMPORT = /^\s*\/\/ #import (\S+)\s*$/gm;
const DIRECTIVE = /^\s*(?:enable|requires|diagnostic)\b/;

/** Loads one module, and says who asked for it where there is none. */
async function loadModule(shaders: string, name: string, importer: string): Promise<ShaderModule> {
  const path = join(shaders, name);
  if (existsSync(`${path}.wgsl`)) return { wgsl: readFileSync(`${path}.wgsl`, 'utf8') };
  if (existsSync(`${path}.ts`)) return (await import(pathToFileURL(`${path}.ts`).href)) as ShaderModule;
  throw new Error(`${importer}: there is no shader module ${name} (looked for .wgsl and .ts in ${shaders})`);
}

function stripped(wgsl: string): string[] {
  const code = wgsl.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
  return code.split('\n').flatMap((line) => (line.trim() ? [line.trimEnd()] : []));
}

/**
 * Links `entries`, modules named without their ending, and all they import from the folder `shaders`. `instead` names
 * modules that take the place of others: another form of a field, say.
 *
 * @throws {Error} on a missing module and on a cycle, naming the modules on the way to it.
 */
export async function linkWgsl(
  shaders: string,
  entries: readonly string[],
  instead: Readonly<Record<string, string>> = {},
): Promise<LinkedShader> {
  const done = new Set<string>();
  const lines: string[] = [];
  const tables: Uint8Array[] = [];

  const visit = async (wanted: string, path: readonly string[]): Promise<void> => {
    const name = instead[wanted] ?? wanted;
    if (path.includes(name))
      throw new Error(`shader modules import each other: ${[...path, name].join(' > ')}`);
    if (done.has(name)) return;
    const module = await loadModule(shaders, name, path.at(-1) ?? 'linker');
    for (const [, imported] of module.wgsl.matchAll(IMPORT)) await visit(imported!, [...path, name]);
    done.add(name);
    lines.push(...stripped(module.wgsl));
    tables.push(...(module.tables ?? []));
  };
  for (const entry of entries) await visit(entry, []);

  // WGSL wants its directives before any declaration.
  const directives = [...new Set(lines.filter((line) => DIRECTIVE.test(line)))];
  const code = lines.filter((line) => !DIRECTIVE.test(line));
  return { wgsl: `${[...directives, ...code].join('\n')}\n`, tables };
}
