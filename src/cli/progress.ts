/** A bar on standard error for work that takes longer than half a second. */
import { Presets, SingleBar } from 'cli-progress';
import type { Input } from './input.js';
import { formatBytes } from './output.js';

const DELAY_MS = 500;
const REFRESH_MS = 100;

/**
 * Shows how much of an input has been read while `work` runs: on a terminal as a bar, elsewhere as a line every two
 * seconds.
 */
export async function withProgress<T>(input: Input, work: () => Promise<T>): Promise<T> {
  const { size } = input;
  const bar = new SingleBar(
    {
      format: size === undefined ? '{value} read' : '[{bar}] {percentage} % of {total}, {eta} s left',
      formatValue: (value, _, type) =>
        type === 'value' || type === 'total' ? formatBytes(value) : String(value),
      noTTYOutput: true,
      hideCursor: true,
      clearOnComplete: true,
    },
    Presets.legacy,
  );
  let refresh: NodeJS.Timeout | undefined;
  const delay = setTimeout(() => {
    bar.start(size ?? 0, input.read);
    refresh = setInterval(() => bar.update(input.read), REFRESH_MS);
  }, DELAY_MS);
  try {
    return await work();
  } finally {
    clearTimeout(delay);
    clearInterval(refresh);
    bar.update(input.read);
    bar.stop();
  }
}
