/** README says what registry and results say. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generateReadme, README } from '../../scripts/readme.ts';
import { hashes } from '../../src/hash/registry.ts';

describe('README', () => {
  const text = readFileSync(README, 'utf8');

  it('is up to date (npm run readme)', async () => {
    expect(await generateReadme(text)).toBe(text);
  });

  it('names every hash', () => {
    for (const id of hashes.keys()) expect(text).toContain(`\`${id}\``);
  });

  it('cannot lose a generated part without a word', async () => {
    await expect(generateReadme(text.replace('<!-- end of pairs -->', ''))).rejects.toThrow('end of pairs');
  });
});
