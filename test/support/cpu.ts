/** Every way in which the CPU can run a hash, for tests that go through all of them. */
import { createHash, randomFillSync } from 'node:crypto';
import { expect } from 'vitest';
import type { EngineOptions } from '../../src/backend/cpu/engine.ts';

/** Engine options by the name of the engine that they must lead to. */
export const ENGINES: Readonly<Record<string, EngineOptions>> = {
  hashtree: { features: ['simd'], native: true },
  'wasm simd': { features: ['simd'], native: false },
  'wasm scalar': { features: ['scalar'], native: false },
  reference: { features: [], native: false },
};

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return randomFillSync(new Uint8Array(length));
}

/** A layer of SHA-256 pairs, by node:crypto. */
export function pairsOf(nodes: Uint8Array): Uint8Array<ArrayBuffer> {
  const parents = new Uint8Array(nodes.length / 2);
  for (let at = 0; at < nodes.length; at += 64) {
    parents.set(
      createHash('sha256')
        .update(nodes.subarray(at, at + 64))
        .digest(),
      at / 2,
    );
  }
  return parents;
}

/** `stream(seed, bytes)` of the vector files: SHA-256 of the seed and a 32-bit little-endian counter, over and over. */
export function stream(seed: string, bytes: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(bytes);
  const counter = Buffer.alloc(4);
  for (let at = 0, i = 0; at < bytes; at += 32, i++) {
    counter.writeUInt32LE(i);
    const block = createHash('sha256').update(seed).update(counter).digest();
    out.set(block.subarray(0, Math.min(32, bytes - at)), at);
  }
  return out;
}

/** The bytes at an odd address: behind `shift` others. */
export function shifted(bytes: Uint8Array, shift: number): Uint8Array<ArrayBuffer> {
  const room = new Uint8Array(bytes.length + shift);
  room.set(bytes, shift);
  return room.subarray(shift);
}

/** The bytes in shared memory. */
export function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** Equality of long byte strings, which `toEqual` would compare element by element. */
export function expectBytes(got: Uint8Array, right: Uint8Array, what = 'bytes'): void {
  expect(got.length, what).toBe(right.length);
  expect(Buffer.compare(got, right), what).toBe(0);
}
