/** A project that has nothing of this one but the packed package, as a user has it. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeOnce, unpack } from '../../scripts/archive.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = fileURLToPath(new URL('../consumer', import.meta.url));
const cache = join(root, '.cache/consumer');
const DAY_MS = 86_400_000;

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stdout + stderr}`);
  return stdout;
}

/** What the project is made of, as one number. */
function key(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package.json')));
  for (const folder of [join(root, 'dist'), sources]) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      const path = join(folder, name);
      if (statSync(path).isFile()) hash.update(name).update(readFileSync(path));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** Packs what `npm run build` made; the path of the tarball. */
function pack(folder: string): string {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  return join(folder, run(npm, ['pack', '--silent', '--pack-destination', folder], root).trim());
}

/** Builds one page of the project through Vite, into `built/` of its folder. */
function build(folder: string): void {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  run(process.execPath, [vite, 'build', '--base', './', '--outDir', 'built', '--logLevel', 'error'], folder);
}

/**
 * The project's folder, made when the package or the project's own files have changed: `cambium.tgz`,
 * `node_modules/cambium`, and `test/consumer` with its pages built.
 */
export function consumer(): string {
  if (!existsSync(join(root, 'dist/index.js'))) throw new Error('`npm run build` comes before these tests');
  const folder = join(cache, key());
  makeOnce(folder, (draft) => {
    cpSync(sources, draft, { recursive: true });
    const tarball = pack(draft);
    renameSync(tarball, join(draft, 'cambium.tgz'));
    unpack(join(draft, 'cambium.tgz'), join(draft, 'node_modules'));
    renameSync(join(draft, 'node_modules/package'), join(draft, 'node_modules/cambium'));
    for (const page of ['site', 'size']) build(join(draft, page));
  });
  for (const old of readdirSync(cache).map((name) => join(cache, name))) {
    if (old !== folder && statSync(old).mtimeMs < Date.now() - DAY_MS) rmSync(old, { recursive: true });
  }
  return folder;
}
