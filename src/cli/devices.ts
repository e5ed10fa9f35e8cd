import { Command } from 'commander';
import { platform } from '#platform';
import { createHasher } from '../hasher.js';
import { describeCpu, describeGpu } from '../report/describe.js';
import { type HasherFlags, hashOption, jsonOption } from './options.js';
import { printJson, printPairs } from './output.js';

/** `cambium devices`. */
export function devicesCommand(): Command {
  return new Command('devices')
    .description('show what would hash: CPU engine, threads, GPU adapter or why there is none')
    .addOption(hashOption())
    .addOption(jsonOption())
    .action(async ({ hash, json }: Pick<HasherFlags, 'hash' | 'json'>) => {
      const hasher = await createHasher(hash);
      const { info } = hasher;
      await hasher.close();
      const { cpu, gpu, gpuRefused } = info;
      if (json)
        return printJson({ cores: platform.cores, cpu, gpu: gpu ?? null, gpuRefused: gpuRefused ?? null });
      printPairs([
        ['cores', platform.cores],
        ['cpu', describeCpu(info)],
        ['gpu', describeGpu(info) ?? `none: ${gpuRefused}`],
        ...(gpu && gpuRefused !== undefined ? [['', `not used by auto: ${gpuRefused}`] as const] : []),
      ]);
    });
}
