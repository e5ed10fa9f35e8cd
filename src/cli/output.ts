/** What commands print. */

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

/** Two or three digits with the largest unit that fits. */
export function formatBytes(bytes: number): string {
  return withUnit(bytes, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
}

/** The same per second. */
export function formatByteRate(bytes: number, seconds: number): string {
  return `${formatBytes(bytes / seconds)}/s`;
}

/** Things per second, in thousands and millions. */
export function formatRate(count: number, seconds: number, what: string): string {
  return `${withUnit(count / seconds, 1000, ['', 'thousand', 'million', 'billion'])} ${what}/s`;
}

/** Seconds with as many digits as are worth reading. */
export function formatSeconds(seconds: number): string {
  return seconds < 1 ? `${(seconds * 1000).toFixed(1)} ms` : `${seconds.toFixed(2)} s`;
}

function withUnit(value: number, step: number, units: readonly string[]): string {
  let unit = 0;
  let scaled = value;
  while (scaled >= step && unit < units.length - 1) {
    scaled /= step;
    unit++;
  }
  const exact = unit === 0 && Number.isInteger(scaled);
  const digits = exact ? String(scaled) : scaled >= 100 ? scaled.toFixed(0) : scaled.toPrecision(3);
  return `${digits} ${units[unit]}`.trimEnd();
}
