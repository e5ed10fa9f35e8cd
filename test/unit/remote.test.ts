/** What goes to a machine without a test runner. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { publishedPairs } from '../../bench/remote/vectors.ts';
import { toHex } from '../../src/bytes.ts';
import { hashes } from '../../src/hash/registry.ts';

const bench = fileURLToPath(new URL('../../bench', import.meta.url));
const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));

describe('published pairs', () => {
  it('are what the reference makes of them', async () => {
    let pairs = 0;
    for (const spec of hashes.values()) {
      const { hashPair } = await spec.load();
      for (const { left, right, digest } of publishedPairs(spec.id, read)) {
        expect(toHex(hashPair(left, right)), spec.id).toBe(toHex(digest));
        pairs++;
      }
    }
    expect(pairs).toBeGreaterThan(150);
  });
});

describe.each(['remote.sh', 'pack-remote.sh'])('%s', (name) => {
  it('says how it is used', () => {
    const { status, stderr } = spawnSync('sh', [`${bench}/${name}`, '--what'], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^usage: .*remote\.sh/);
  });
});

it('the archive brings the vector files that are read', () => {
  const packed = readFileSync(`${bench}/pack-remote.sh`, 'utf8');
  const names = new Set<string>();
  for (const id of hashes.keys()) {
    publishedPairs(id, (name) => {
      names.add(name);
      return read(name);
    });
  }
  expect(names.size).toBeGreaterThan(3);
  for (const name of names) expect(packed).toContain(name);
});
