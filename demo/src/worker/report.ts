import manifest from 'cambium/package.json' with { type: 'json' };
import { measureReport, type Report } from 'cambium/report';
import type { ReportArgs, ReportNews } from '../tasks.ts';
import type { TaskContext } from './main.ts';

/** Measures what the page wants, on everything that is here. */
export async function report(
  { hashes, sizes, trees, budgetSeconds }: ReportArgs,
  { signal, tell }: TaskContext<ReportNews>,
): Promise<Report> {
  return await measureReport({
    hashes,
    ...(sizes && { sizes }),
    trees,
    budgetSeconds,
    version: manifest.version,
    signal,
    onProgress: (progress) => tell({ progress }),
    onPoint: (hash, point) => tell({ hash, point }),
  });
}
