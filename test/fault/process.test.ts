/** Neither worker threads nor a device keep a process alive, busy, or growing. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { runScript } from '../support/child.ts';
import { engine, noise, openSha256 } from '../support/gpu.ts';

/** Ways for a script to end, and the exit codes that Node gives them. */
const WAYS: [way: string, code: number][] = [
  ['closed', 0],
  ['left open', 0],
  ['in flight', 0],
  ['closed in flight', 0],
  ['process.exit', 0],
  ['uncaught error', 1],
  ['unhandled rejection', 1],
  ['never settles', 13],
];

describe.each([
  ['worker threads', 'cpu'],
  ['a device [gpu]', 'gpu'],
])('a process with %s', (_, backend) => {
  it.each(WAYS)('%s: exits', async (way, expected) => {
    const { code, stdout, stderr, late } = await runScript('exit-ways', [backend, way]);
    expect(code, stderr).toBe(expected);
    expect(stdout).toBe('end of script\n');
    expect(late).toBeLessThan(5000);
  });
});

describe('[gpu] a process with an open hasher', () => {
  it('does not grow over 2 000 calls, and sleeps when it has nothing to do', {
    timeout: 600_000,
  }, async () => {
    const { stdout, stderr } = await runScript('many-calls', []);
    expect(stdout, stderr).not.toBe('');
    const { mebibytes, idlePercent } = JSON.parse(stdout) as { mebibytes: number[]; idlePercent: number };
    const [first, ...later] = mebibytes;
    expect(Math.max(...later)).toBeLessThan(1.2 * first!);
    expect(idlePercent).toBeLessThan(5);
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
