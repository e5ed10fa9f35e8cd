#!/usr/bin/env node
/** The `cambium` command. */
import { Command, CommanderError } from 'commander';
import { benchCommand } from './bench.js';
import { devicesCommand } from './devices.js';
import { EXIT, reportFailure } from './exit.js';
import { proveCommand } from './prove.js';
import { rootCommand } from './root.js';
import { sparseCommand } from './sparse.js';
import { sszCommand } from './ssz.js';
import { startCommand } from './start.js';
import { treeCommand } from './tree.js';
import { verifyCommand } from './verify.js';
import { ownVersion } from './version.js';
import { workerCommand } from './worker.js';

const EXIT_CODES = `
Exit codes: 0 fine, 1 the proof is false, 2 wrong usage or input, 3 backend failed, 130 interrupted.`;

function program(signal: AbortSignal): Command {
  const cambium = new Command('cambium')
    .description('Merkle roots and proofs of files, on the GPU or on all cores')
    .version(ownVersion())
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .showHelpAfterError('(add --help for the options)');
  const visible = [
    rootCommand(signal),
    proveCommand(signal),
    verifyCommand(signal),
    treeCommand(signal),
    sparseCommand(signal),
    sszCommand(signal),
    devicesCommand(),
    benchCommand(signal),
    workerCommand(signal),
  ];
  for (const command of visible) cambium.addCommand(command);
  cambium.addCommand(startCommand(signal), { hidden: true });
  inheritSettings(cambium);
  return cambium;
}

function inheritSettings(parent: Command): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    inheritSettings(command);
  }
}

async function main(): Promise<void> {
  // A reader that goes away, as `head` does, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  const interruption = new AbortController();
  // The second time it kills: whoever presses twice does not want to wait.
  process.once('SIGINT', () => interruption.abort());
  try {
    await program(interruption.signal).parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.fine : EXIT.input;
    else process.exitCode = reportFailure(error, interruption.signal);
  }
}

await main();
