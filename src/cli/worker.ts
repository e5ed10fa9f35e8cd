import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { startClusterWorker } from '../cluster/index.js';
import { InputError } from './exit.js';
import { type HasherFlags, parseCount } from './options.js';

interface WorkerFlags extends Omit<HasherFlags, 'hash'> {
  readonly redis: string;
  readonly allow: readonly string[];
  readonly prefix?: string;
  readonly name?: string;
  readonly concurrency?: number;
  readonly memory?: number;
}

/** `cambium worker --redis URL --allow PREFIX`. */
export function workerCommand(signal: AbortSignal): Command {
  return new Command('worker')
    .description('hash shards of roots that `cambium root --cluster` submits, until interrupted')
    .requiredOption('--redis <url>', 'redis:// or rediss:// URL of the cluster')
    .requiredOption('--allow <prefix>', 'folder, file or URL that may be read; several times', collect, [])
    .addOption(
      new Option('--backend <kind>', 'where to hash').choices(['auto', 'cpu', 'gpu']).default('auto'),
    )
    .option('--threads <n>', 'CPU threads, the main one included (default: one per core)', parseCount(1, 257))
    .option('--concurrency <n>', 'shards at a time (default: 2)', parseCount(1, 64))
    .option('--memory <MiB>', 'most memory for shards, 128 MiB for each at a time', parseCount(128, 2 ** 20))
    .option('--prefix <name>', 'beginning of the keys in Redis (default: cambium)')
    .option('--name <name>', 'how results call this worker')
    .action((flags: WorkerFlags) => work(flags, signal));
}

async function work(flags: WorkerFlags, signal: AbortSignal): Promise<void> {
  const { redis, allow, prefix, name, backend, threads, concurrency, memory } = flags;
  const isUrl = (text: string): boolean => /^https?:\/\//.test(text);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  signal.addEventListener('abort', interrupt);
  // What ends a service; the second time it kills.
  process.once('SIGTERM', interrupt);
  const worker = await start();
  process.stderr.write(`worker ${worker.name} is ready\n`);
  if (!stop.signal.aborted) {
    await new Promise((done) => stop.signal.addEventListener('abort', done, { once: true }));
  }
  process.stderr.write(`worker ${worker.name} finishes what it has begun\n`);
  await worker.close();

  async function start() {
    try {
      return await startClusterWorker({
        redis,
        sources: {
          files: allow.filter((text) => !isUrl(text)).map((path) => resolve(path)),
          http: allow.filter(isUrl),
        },
        backend,
        ...(threads !== undefined && { threads: threads - 1 }),
        ...(prefix !== undefined && { prefix }),
        ...(name !== undefined && { name }),
        ...(concurrency !== undefined && { concurrency }),
        ...(memory !== undefined && { memoryBytes: memory * 2 ** 20 }),
      });
    } catch (error) {
      throw error instanceof RangeError ? new InputError(error.message, { cause: error }) : error;
    }
  }
}

const collect = (text: string, before: readonly string[]): string[] => [...before, text];
