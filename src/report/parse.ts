/** Reads reports that somebody else may have written. */
import { CambiumError } from '../errors.js';
import { LANES } from './lanes.js';
import { amount, flag, list, object, oneOf, record, type Shape, text } from './shape.js';
import { REPORT_FORMAT, type Report } from './types.js';

const spread = object({ median: amount, mad: amount, rounds: amount });
const lane = oneOf(...LANES);
const phases = object(
  { upload: spread, readback: spread, bytesUp: amount, bytesDown: amount },
  { kernel: spread, kernelRefused: text },
);
const point = object(
  { work: oneOf('layer', 'tree'), lane, leaves: amount, hashes: amount, bytes: amount, total: spread },
  { phases },
);
const crossover: Shape = (value, at) => {
  object({ kind: oneOf('at', 'always', 'never'), leaves: amount }, { above: amount })(value, at);
  if ((value as { kind: string }).kind === 'at') object({ above: amount })(value, at);
};
const hash = object(
  {
    hash: text,
    lanes: list(object({ lane, engine: text })),
    compile: list(object({ kernel: text, seconds: amount })),
    points: list(point),
    failures: list(object({ lane, reason: text })),
  },
  { crossover: object({}, { layer: crossover, tree: crossover }) },
);
const report = object(
  {
    date: text,
    machine: object({ cpu: text, cores: amount, runtime: text }, { memoryGiB: amount, os: text }),
    seconds: amount,
    budgetSeconds: amount,
    hashes: list(hash),
    trees: list(object({ name: text, hash: text, lane, items: amount, total: spread })),
  },
  {
    version: text,
    commit: text,
    adapter: object(
      { vendor: text, architecture: text, device: text, description: text, software: flag, timestamps: flag },
      { driver: text },
    ),
    gpuRefused: text,
    peers: list(
      object({
        case: text,
        contender: text,
        peer: text,
        unit: text,
        median: amount,
        mad: amount,
        ratio: amount,
      }),
    ),
    kernels: list(object({ kernel: text, unit: text, cycles: record(amount) })),
  },
);

/**
 * The report in a JSON text, checked from top to bottom.
 *
 * @throws {CambiumError} `MALFORMED` with the place that is wrong; `VERSION_MISMATCH` for a report of another version.
 * @example
 * ```ts
 * const report = parseReport(await file.text());
 * ```
 */
export function parseReport(json: string): Report {
  let value: { readonly format?: unknown } | null;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new CambiumError('MALFORMED', `report: no JSON: ${(cause as Error).message}`, { cause });
  }
  const format = typeof value === 'object' && value !== null ? value.format : undefined;
  if (format !== REPORT_FORMAT) {
    const other = typeof format === 'string' && format.startsWith('cambium-report/');
    const code = other ? 'VERSION_MISMATCH' : 'MALFORMED';
    throw new CambiumError(
      code,
      `report: expected the format ${REPORT_FORMAT}, got ${JSON.stringify(format)}`,
    );
  }
  report(value, 'report');
  return value as Report;
}
