/** Leaves that no machine stores: each worker makes the bytes that it needs. */
import type { SourceReader } from './source.js';

/** Makes the bytes from `from` to just before `to`, the same at every call and on every machine. */
export type Generator = (
  from: number,
  to: number,
  signal?: AbortSignal,
) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** @throws {RangeError} for a name that is not among `generators`. */
export function openGenerator(
  name: string,
  bytes: number,
  generators: Readonly<Record<string, Generator>>,
): SourceReader {
  if (!Object.hasOwn(generators, name)) {
    throw new RangeError(`source: no generator ${JSON.stringify(name)} here`);
  }
  const generate = generators[name]!;
  return {
    bytes,
    async *read(from, to, signal) {
      yield* generate(from, to, signal);
    },
    unchanged: async () => true,
    async close() {},
  };
}
