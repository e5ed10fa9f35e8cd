/** Numbers for people. */

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

/** Things per second for tables and axes: `5.30 M/s`. */
export function formatShortRate(count: number, seconds: number): string {
  return `${withUnit(count / seconds, 1000, ['', 'k', 'M', 'G', 'T'])}/s`;
}

/** Seconds with as many digits as are worth reading. */
export function formatSeconds(seconds: number): string {
  return seconds < 1 ? `${(seconds * 1000).toFixed(1)} ms` : `${seconds.toFixed(2)} s`;
}

/** Seconds for tables, down to nanoseconds. */
export function formatShortTime(seconds: number): string {
  if (seconds >= 1) return `${seconds.toPrecision(3)} s`;
  const [factor, unit] = seconds < 1e-6 ? [1e9, 'ns'] : seconds < 1e-3 ? [1e6, 'us'] : [1e3, 'ms'];
  return `${(seconds * factor).toPrecision(3)} ${unit}`;
}

/** A power of two as such: `2^16`; other numbers as they are. */
export function formatSize(count: number): string {
  const power = Math.log2(count);
  return Number.isInteger(power) && power > 4 ? `2^${power}` : String(count);
}

/** How many times: `3.2x`. */
export function formatRatio(ratio: number): string {
  return `${ratio >= 100 ? ratio.toFixed(0) : ratio.toPrecision(3)}x`;
}

function withUnit(value: number, step: number, units: readonly string[]): string {
  let unit = 0;
  let scaled = value;
  while (scaled >= step && unit < units.length - 1) {
    scaled /= step;
    unit++;
  }
  // Counts have no digits behind the point, and powers of ten on an axis need none.
  const exact = unit === 0 ? Number.isInteger(scaled) : scaled === 1 || scaled === 10;
  const digits = exact ? String(scaled) : scaled >= 100 ? scaled.toFixed(0) : scaled.toPrecision(3);
  return `${digits} ${units[unit]}`.trimEnd();
}
