import { createRequire } from 'node:module';

/** Version of the installed package. */
export function ownVersion(): string {
  return (createRequire(import.meta.url)('../../package.json') as { version: string }).version;
}
