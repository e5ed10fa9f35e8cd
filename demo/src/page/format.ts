/** Numbers as people read them. */

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const THREE_DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** A count, with thousands apart. */
export function formatCount(count: number): string {
  return WHOLE.format(count);
}

/** A number of leaves in words. */
export function formatLeaves(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'leaf' : 'leaves'}`;
}

/** Three digits with the largest unit that fits. */
export function formatBytes(bytes: number): string {
  return withUnit(bytes, 1024, ['B', 'KiB', 'MiB', 'GiB']);
}

/** Things a second, without saying so: `12.3 M`. */
export function formatRate(count: number, seconds: number): string {
  return seconds > 0 ? withUnit(count / seconds, 1000, ['', 'k', 'M', 'G']) : '–';
}

/** Seconds with as many digits as are worth reading. */
export function formatSeconds(seconds: number): string {
  if (seconds < 0.001) return `${digits(1e6 * seconds)} µs`;
  return seconds < 1 ? `${digits(1000 * seconds)} ms` : `${digits(seconds)} s`;
}

/** A ratio: `3.2`, `140`. */
export function formatRatio(ratio: number): string {
  return digits(ratio);
}

function withUnit(value: number, step: number, units: readonly string[]): string {
  let unit = 0;
  let scaled = value;
  while (scaled >= step && unit < units.length - 1) {
    scaled /= step;
    unit++;
  }
  return `${digits(scaled)} ${units[unit]}`.trimEnd();
}

function digits(value: number): string {
  return (value >= 100 ? WHOLE : THREE_DIGITS).format(value);
}
