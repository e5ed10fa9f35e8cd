/** `npm run readme`: writes the tables of README.md anew, from the registry and from `bench/results`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pairsTable, reportSection } from './readme/figures.ts';
import { hashTable } from './readme/hash-table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
export const README: string = join(root, 'README.md');

/** The text with its generated parts replaced; each stands between two comments that name it. */
export async function generateReadme(text: string): Promise<string> {
  const results = join(root, 'bench/results');
  const parts: Readonly<Record<string, string>> = {
    hashes: await hashTable(),
    report: reportSection(results),
    pairs: pairsTable(results),
  };
  let made = text;
  for (const [name, content] of Object.entries(parts)) {
    const [begin, end] = [`<!-- ${name}: npm run readme -->`, `<!-- end of ${name} -->`];
    const [from, to] = [made.indexOf(begin), made.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`README.md: expected ${begin} and, behind it, ${end}`);
    made = `${made.slice(0, from)}${begin}\n\n${content}\n\n${made.slice(to)}`;
  }
  return made;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(README, await generateReadme(readFileSync(README, 'utf8')));
}
