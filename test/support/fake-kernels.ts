/** What the kernels of SHA-256 do, on bytes in memory. */
import { sha256 } from './naive-tree.ts';

export type FakeKernel = 'pairs' | 'top' | 'messages';

/** A range of a buffer, as a bind group holds it. */
export interface Binding {
  readonly buffer: { readonly bytes: Uint8Array<ArrayBuffer> };
  readonly offset?: number;
  readonly size?: number;
}

/** Begun messages, by the buffer of their states and the number of the state. */
const begun = new WeakMap<object, Map<number, Uint8Array>>();

/** Runs one dispatch; `spoil` may change each digest that it writes. */
export function runKernel(
  kernel: FakeKernel,
  bindings: readonly Binding[],
  paramsOffset: number,
  spoil: ((digest: Uint8Array) => void) | undefined,
): void {
  const storage = bindings.map(({ buffer, offset = 0, size }) =>
    buffer.bytes.subarray(offset, offset + size!),
  );
  const params = new Uint32Array(storage[2]!.buffer, paramsOffset, 4);
  const [first = 0, second = 0, third = 0] = params;
  const [input, output] = [storage[0]!, storage[1]!];
  const write = (index: number, digest: Uint8Array): void => {
    spoil?.(digest);
    output.set(digest, 32 * index);
  };
  if (kernel === 'pairs') hashPairs(input, first, 0, write);
  else if (kernel === 'top') hashTop(input, output, first, second, write);
  else hashMessages(storage, bindings[4]!.buffer, { count: first, start: second, piece: third }, write);
}

type Write = (index: number, digest: Uint8Array) => void;

function hashPairs(nodes: Uint8Array, count: number, at: number, write: Write): void {
  for (let i = 0; i < count; i++) write(at + i, sha256(nodes.subarray(64 * i, 64 * i + 64)));
}

function hashTop(nodes: Uint8Array, output: Uint8Array, count: number, levels: number, write: Write): void {
  let below = nodes;
  let at = 0;
  for (let width = count; levels > 0; levels--, width /= 2) {
    hashPairs(below, width, at, write);
    below = output.subarray(32 * at);
    at += width;
  }
}

function hashMessages(
  [packed, , , table]: readonly Uint8Array[],
  states: object,
  { count, start, piece }: { count: number; start: number; piece: number },
  write: Write,
): void {
  const rows = new Uint32Array(table!.slice().buffer);
  const open = begun.get(states) ?? new Map<number, Uint8Array>();
  begun.set(states, open);
  for (let row = 0; row < count; row++) {
    const [offset = 0, length = 0, leaf = 0, state = 0] = rows.subarray(4 * row, 4 * row + 4);
    const bytes = packed!.subarray(offset, offset + Math.min(length - start, piece));
    const message = start === 0 ? bytes : Buffer.concat([open.get(state)!, bytes]);
    if (message.length === length) write(leaf, sha256(message));
    else open.set(state, new Uint8Array(message));
  }
}
