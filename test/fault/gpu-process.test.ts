import { spawn } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { engine, noise, openSha256 } from '../support/gpu.ts';

/** Runs the script of this way to end, and waits for its exit at most as long as it takes plus five seconds. */
function exitCode(way: string): Promise<{ code: number | null; late: number }> {
  const script = new URL('../support/gpu-exit.ts', import.meta.url).pathname;
  const tsx = new URL('../../node_modules/tsx/dist/cli.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [tsx, '--tsconfig', 'tsconfig.tools.json', script, way], {
    cwd: new URL('../..', import.meta.url).pathname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let ended = performance.now();
  child.stdout.on('data', () => {
    ended = performance.now();
  });
  return new Promise((resolve) =>
    child.on('exit', (code) => resolve({ code, late: performance.now() - ended })),
  );
}

describe('[gpu] process', () => {
  it.each(['closed', 'left open', 'in flight'])('%s: exits by itself', async (way) => {
    const { code, late } = await exitCode(way);
    expect(code).toBe(0);
    expect(late).toBeLessThan(5000);
  });

  it('exits when told to with a device open', async () => {
    expect((await exitCode('process.exit')).code).toBe(0);
  });
});

describe('[gpu] garbage collection', () => {
  const opened = openSha256();
  afterAll(async () => (await opened).backend.close());

  it('between and during submits takes nothing away that is in use', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { backend } = await opened;
    const nodes = noise(64 * 300);
    const expected = new Uint8Array(32 * 300);
    engine.hashPairs(nodes, expected);
    for (let round = 0; round < 40; round++) {
      const out = new Uint8Array(32 * 300);
      const job = backend.pairs({ nodes, out, samples: 1 });
      collect();
      await Promise.resolve();
      collect();
      await job;
      collect();
      expect(Buffer.compare(out, expected)).toBe(0);
    }
  });
});
