import type { Contender } from './timing.ts';

/** Work that several contenders can do. */
export interface BenchCase {
  /** For example `sha256 pairs, one thread`; `--filter` looks for its text here. */
  readonly name: string;
  /** Units of work in one run. */
  readonly size: number;
  readonly unit: 'hash' | 'tree' | 'call' | 'batch' | 'entry';
  /** Opens the contenders; the first is the peer that ratios are against. */
  open(): Promise<{ readonly contenders: readonly Contender[]; close(): Promise<void> }>;
}
