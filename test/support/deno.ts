/** Deno from npm. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { swiftShaderEnv } from '../../scripts/swiftshader.ts';
import type { TreeAnswer, TreeArgs } from '../consumer/jobs.ts';
import { consumer } from './consumer.ts';

/** The program itself: the package's own launcher wants an install script to have run. */
function program(): string {
  const require = createRequire(import.meta.url);
  const { optionalDependencies } = require('deno/package.json') as { optionalDependencies: object };
  const name = process.platform === 'win32' ? 'deno.exe' : 'deno';
  for (const dependency of Object.keys(optionalDependencies)) {
    try {
      const path = join(dirname(require.resolve(`${dependency}/package.json`)), name);
      if (existsSync(path)) return path;
    } catch {
      // For another platform.
    }
  }
  throw new Error(`the package deno has no program for ${process.platform} ${process.arch}`);
}

/** Runs a script of the consumer's project, and reads the JSON that it prints. */
export function runDeno(script: string, args: readonly string[], flags: readonly string[]): unknown {
  const options = ['run', '--no-prompt', '--quiet', '--node-modules-dir=manual', ...flags];
  const { status, stdout, stderr } = spawnSync(program(), [...options, script, ...args], {
    cwd: join(consumer(), 'deno'),
    env: swiftShaderEnv(),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`deno ${script}: exit code ${status}\n${stderr}`);
  return JSON.parse(stdout);
}

/** Has trees made by one process, in order; each is an answer or the error that it ended with. */
export function treesInDeno(
  args: readonly TreeArgs[],
  flags: readonly string[],
): { readonly value?: TreeAnswer; readonly error?: string }[] {
  const list = JSON.stringify(args.map((tree) => ['tree', tree]));
  return runDeno('main.ts', [list], flags) as { value?: TreeAnswer; error?: string }[];
}
