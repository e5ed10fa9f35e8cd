/** An engine from what can be sent to a worker. */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import type { ConstantsFor } from '../../hash/types.js';
import type { SyncEngine } from '../types.js';
import { WasmKernel } from './wasm-kernel.js';

type HashInto = (nodes: Uint8Array, out: Uint8Array) => void;

/** What an engine is made of: a compiled WASM build and, for pairs, a native package by its URL. */
export interface Recipe {
  readonly name: string;
  readonly module: WebAssembly.Module;
  readonly native?: string;
  /** Constants for rows of one length, or of any where they are the same; pairs are rows of two. */
  readonly constants?: Digest;
}

/** The engine of one WASM build. */
export function wasmEngine(name: string, module: WebAssembly.Module, constants?: ConstantsFor): SyncEngine {
  const kernel = new WasmKernel(module, constants);
  return {
    name,
    hashPair: (left, right) => kernel.hashPair(left, right),
    hashPairs: (nodes, out) => kernel.hashPairs(nodes, out),
    ...(kernel.hasMessages && {
      hashMessages: (messages, lengths, out) => kernel.hashMessages(messages, lengths, out),
    }),
    ...(kernel.hasRows && {
      hashRows: (rows, rowElements, out) => kernel.hashRows(rows, rowElements, out),
    }),
  };
}

/** Pairs by a native layer hasher, everything else by `base`. */
export function nativeEngine(name: string, hashInto: HashInto, base: SyncEngine): SyncEngine {
  const pair = new Uint8Array(2 * DIGEST_BYTES);
  return {
    ...base,
    name,
    hashPair(left, right): Digest {
      pair.set(left);
      pair.set(right, DIGEST_BYTES);
      const digest = new Uint8Array(DIGEST_BYTES);
      hashInto(pair, digest);
      return digest;
    },
    hashPairs: hashInto,
  };
}

/** Makes the engine again, on another thread. */
export async function fromRecipe({ name, module, native, constants }: Recipe): Promise<SyncEngine> {
  const base = wasmEngine(name, module, constants && (() => constants));
  if (!native) return base;
  const { hashInto } = (await import(native)) as { hashInto: HashInto };
  return nativeEngine(name, hashInto, base);
}
