/** The engine of a hash on the caller's thread: the first that works of native code, WASM builds, reference. */
import { platform } from '#platform';
import { DIGEST_BYTES } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { decodeElements } from '../../hash/elements.js';
import type {
  ConstantsFor,
  CpuKernels,
  HashInput,
  HashModule,
  HashSpec,
  WasmFeature,
} from '../../hash/types.js';
import type { SyncEngine } from '../types.js';
import { nativeEngine, type Recipe, wasmEngine } from './recipe.js';
import { SelfTest } from './self-test.js';

/** What an engine may use. */
export interface EngineOptions {
  readonly features: readonly WasmFeature[];
  readonly native: boolean;
}

export interface OpenedEngine {
  readonly engine: SyncEngine;
  /** How workers make the same engine; absent for the reference, which cannot be sent. */
  readonly recipe?: Recipe;
  readonly constants?: ConstantsFor | undefined;
  /** Time of one pair hash, in nanoseconds, before the code is warm. */
  readonly nanos: number;
}

/** Clears the top bits of each element, so that test bytes are below any modulus of 2^253 or 2^63. */
function canonicalFor(spec: HashSpec): (nodes: Uint8Array) => void {
  const { input } = spec;
  if (input === 'bytes') return () => {};
  const { elementBytes, order } = input;
  return (nodes) => {
    for (let at = order === 'le' ? elementBytes - 1 : 0; at < nodes.length; at += elementBytes) {
      nodes[at]! &= 0x1f;
    }
  };
}

/** Reference code as an engine. */
export function referenceEngine(module: HashModule, input: HashInput): SyncEngine {
  const { hash, hashElements } = module;
  return {
    name: 'reference',
    hashPair: (left, right) => module.hashPair(left, right),
    hashPairs(nodes, out) {
      for (let at = 0; at < nodes.length; at += 2 * DIGEST_BYTES) {
        const middle = at + DIGEST_BYTES;
        const parent = module.hashPair(
          nodes.subarray(at, middle),
          nodes.subarray(middle, middle + DIGEST_BYTES),
        );
        out.set(parent, at / 2);
      }
    },
    ...(hash && {
      hashMessages(messages: Uint8Array, lengths: Uint32Array, out: Uint8Array) {
        let start = 0;
        lengths.forEach((length, i) => {
          out.set(hash(messages.subarray(start, start + length)), i * DIGEST_BYTES);
          start += length;
        });
      },
    }),
    ...(hashElements &&
      input !== 'bytes' && {
        hashRows(rows: Uint8Array, rowElements: number, out: Uint8Array) {
          const rowBytes = rowElements * input.elementBytes;
          for (let i = 0; i * rowBytes < rows.length; i++) {
            const row = rows.subarray(i * rowBytes, (i + 1) * rowBytes);
            out.set(hashElements(decodeElements(row, input)), i * DIGEST_BYTES);
          }
        },
      }),
  };
}

/** Compiles, or says no where the host lacks the instructions or forbids compilation. */
async function compile(bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module | undefined> {
  if (typeof WebAssembly !== 'object' || !WebAssembly.validate(bytes)) return undefined;
  try {
    return await WebAssembly.compile(bytes);
  } catch {
    return undefined;
  }
}

async function openWasm(
  kernels: CpuKernels,
  test: SelfTest,
  features: readonly WasmFeature[],
): Promise<OpenedEngine | undefined> {
  let failure: unknown;
  for (const { feature, bytes } of kernels.builds) {
    const module = features.includes(feature) ? await compile(bytes()) : undefined;
    if (!module) continue;
    try {
      const name = `wasm ${feature}`;
      const { constants } = kernels;
      const engine = wasmEngine(name, module, constants);
      const recipe = { name, module, ...(constants && { constants: constants(2) }) };
      return { engine, recipe, constants, nanos: test.run(engine) };
    } catch (error) {
      failure = error;
    }
  }
  if (!failure) return undefined;
  throw failure instanceof CambiumError
    ? failure
    : new CambiumError('KERNEL_SELF_TEST', 'no WASM build ran', { cause: failure });
}

/**
 * Opens the engine of a hash.
 *
 * @throws {CambiumError} `KERNEL_SELF_TEST` when every WASM build that this machine accepts computes something wrong.
 */
export async function openEngine(
  spec: HashSpec,
  module: HashModule,
  { features, native }: EngineOptions,
): Promise<OpenedEngine> {
  const test = new SelfTest(module, spec.input, canonicalFor(spec));
  const kernels = await spec.cpu?.();
  const wasm = kernels && (await openWasm(kernels, test, features));
  if (!wasm) {
    const engine = referenceEngine(module, spec.input);
    return { engine, nanos: test.run(engine) };
  }
  const package_ = native && kernels.native ? await platform.nativeSha256() : undefined;
  if (!package_) return wasm;
  try {
    const engine = nativeEngine('hashtree', package_.hashInto, wasm.engine);
    const nanos = test.run(engine);
    return { engine, recipe: { ...wasm.recipe!, name: 'hashtree', native: package_.url }, nanos };
  } catch {
    // Native code that computes something else, or crashes on the call, is not worth an error: WASM is at hand.
    return wasm;
  }
}
