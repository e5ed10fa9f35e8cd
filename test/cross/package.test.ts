/** What `npm pack` makes, as its users meet it. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { consumer } from '../support/consumer.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = (name: string): string => join(root, 'node_modules', name);
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
};

let project: string;
beforeAll(() => {
  project = consumer();
});

/** Runs a script with Node in the project; what it printed. */
function node(args: readonly string[], cwd = project): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout + stderr);
  return stdout;
}

/** Files of the package, by their paths. */
function packed(): string[] {
  const folder = join(project, 'node_modules/cambium');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
}

describe('the tarball', () => {
  it('holds modules, their declarations, and a few texts', () => {
    const others = packed().filter((path) => !/^dist\/.*\.(js|d\.ts)$/.test(path));
    expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
  });

  it('has a declaration beside each module', () => {
    const files = new Set(packed());
    for (const path of files) {
      if (path.endsWith('.js')) expect(files).toContain(path.replace(/\.js$/, '.d.ts'));
    }
  });

  it('names no path of the machine that it was built on', () => {
    for (const path of packed()) {
      expect(readFileSync(join(project, 'node_modules/cambium', path), 'utf8')).not.toContain(root);
    }
  });

  it('brings the command', () => {
    expect(node(['node_modules/cambium/dist/cli/main.js', '--version']).trim()).toBe(manifest.version);
  });
});

describe('entry points', () => {
  it('can all be imported', () => {
    const modules = packed().flatMap((path) => /^dist\/hash\/(.*)\.js$/.exec(path)?.slice(1) ?? []);
    expect(modules).toEqual(expect.arrayContaining(['sha256', 'poseidon2-bn254', 'rpo']));
    const names = Object.keys(manifest.exports)
      .filter((path) => path !== './package.json')
      .flatMap((path) => (path.endsWith('*') ? modules.map((name) => path.replace('*', name)) : [path]))
      .map((path) => path.replace('.', 'cambium'));
    const script = `for (const name of ${JSON.stringify(names)}) await import(name); console.log('all')`;
    expect(node(['--input-type=module', '-e', script])).toBe('all\n');
  });

  it('need no dependency but the command does', () => {
    const users = packed().filter((path) => {
      if (!path.endsWith('.js')) return false;
      const text = readFileSync(join(project, 'node_modules/cambium', path), 'utf8');
      return Object.keys(manifest.dependencies).some((name) => text.includes(`from '${name}'`));
    });
    expect(users.length).toBeGreaterThan(0);
    for (const path of users) expect(path).toMatch(/^dist\/cli\//);
  });

  it('please publint', () => {
    expect(node([bin('publint/src/cli.js'), '--strict', 'cambium.tgz'])).toContain('All good!');
  });

  it('please attw', () => {
    const attw = bin('@arethetypeswrong/cli/dist/index.js');
    // Its exit code says whether anything is wrong that the profile does not ignore.
    expect(node([attw, 'cambium.tgz', '--profile', 'esm-only'])).toContain('cambium/store/memory');
  });
});

describe('declarations', () => {
  it.each(['dom', 'node', 'webgpu-types'])('compile for the project %s', (name) => {
    const tsc = bin('typescript/bin/tsc');
    expect(node([tsc, '-p', `tsconfig.${name}.json`], join(project, 'types'))).toBe('');
  });
});
