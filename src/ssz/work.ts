/**
 * Work that hashes layers, written once as generators and run either way: on the caller's thread, or by whatever the
 * hasher has.
 */
import type { Digest } from '../bytes.js';
import { throwIfAborted } from '../errors.js';
import type { Hasher } from '../hasher.js';
import { hashLayer } from '../tree/layers.js';

/** A layer of pairs: `2n x 32` bytes into `n x 32`, which may be the first half of `nodes`. */
export interface Layer {
  readonly nodes: Uint8Array;
  readonly out: Digest;
}

/** Yields the layers to hash, in order; each is done when the generator goes on. */
export type Work<T> = Generator<Layer, T, undefined>;

/** Options of the asynchronous form. */
export interface WorkOptions {
  readonly signal?: AbortSignal;
}

/** Does the work on the CPU and the caller's thread. */
export function runSync<T>(hasher: Hasher, work: Work<T>): T {
  checkHash(hasher);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    hasher.hashPairsSync(step.value.nodes, step.value.out);
  }
}

/** Does the work by threads or GPU where a layer is wide enough. */
export async function run<T>(hasher: Hasher, work: Work<T>, { signal }: WorkOptions = {}): Promise<T> {
  checkHash(hasher);
  for (;;) {
    throwIfAborted(signal);
    const step = work.next();
    if (step.done) return step.value;
    await hashLayer(hasher, step.value.nodes, step.value.out, signal);
  }
}

function checkHash(hasher: Hasher): void {
  if (hasher.spec.id !== 'sha256') {
    throw new TypeError(`hasher: SSZ is SHA-256 throughout, expected sha256, got ${hasher.spec.id}`);
  }
}
