/** What a report names of the machine. */
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import type { ReportMachine } from '../report/types.js';

/** This machine, as Node knows it. */
export function thisMachine(): ReportMachine {
  return {
    cpu: cpus()[0]?.model.trim() || 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    os: `${process.platform} ${process.arch}`,
    runtime: `Node ${process.version}`,
  };
}

/** NVIDIA's kernel driver, where it says so; other drivers stand in the adapter's description. */
export function gpuDriver(): string | undefined {
  try {
    return /Module\s+([\d.]+)/.exec(readFileSync('/proc/driver/nvidia/version', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
