/** `tsx scripts/with-swiftshader.ts COMMAND [ARGUMENTS...]`: runs a command on the software GPU. */
import { spawnSync } from 'node:child_process';
import { swiftShaderEnv } from './swiftshader.ts';

const [command, ...args] = process.argv.slice(2);
if (!command) {
  console.error('usage: tsx scripts/with-swiftshader.ts COMMAND [ARGUMENTS...]');
  process.exit(2);
}
const { status, error } = spawnSync(command, args, { stdio: 'inherit', env: swiftShaderEnv() });
if (error) console.error(`${command}: ${error.message}`);
process.exitCode = status ?? 1;
