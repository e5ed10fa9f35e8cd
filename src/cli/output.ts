/** What commands print. */
export { formatByteRate, formatBytes, formatRate, formatSeconds } from '../report/format.js';

/** A line on standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** An object on standard output, for machines. */
export function printJson(value: object): void {
  print(JSON.stringify(value, undefined, 2));
}

/** Names and values in two columns. */
export function printPairs(pairs: readonly (readonly [name: string, value: string | number])[]): void {
  const width = Math.max(...pairs.map(([name]) => name.length));
  for (const [name, value] of pairs) print(`${name.padEnd(width)}  ${value}`);
}

/** Rows in columns: the first `left` of them to the left, the others, numbers, to the right. */
export function printTable(rows: readonly (readonly string[])[], left: number): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column < left ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
    );
    print(cells.join('  '));
  }
}
