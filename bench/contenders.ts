/** Our side of a case: engines and backends of one hash, opened as the library opens them. */
import { createRequire } from 'node:module';
import { openCpuBackend } from '../dist/backend/cpu/index.js';
import { hashSpec } from '../dist/hash/registry.js';
import type { WasmFeature } from '../dist/hash/types.js';
import { createHasher, type Hasher } from '../dist/hasher.js';
import type { Contender } from './timing.ts';

/** Loads a package of `bench/peers`. */
export const peer = createRequire(new URL('peers/package.json', import.meta.url));

export interface CpuForm {
  readonly features: readonly WasmFeature[];
  readonly native: boolean;
  readonly threads: number;
}

export const WASM_SIMD: CpuForm = { features: ['simd'], native: false, threads: 0 };
export const WASM_SCALAR: CpuForm = { features: ['scalar'], native: false, threads: 0 };
export const WASM_RELAXED: CpuForm = { features: ['relaxed-simd'], native: false, threads: 0 };
/** The forms of field hashes that this host runs: Node has relaxed SIMD from 22 on. */
export const ONE_THREAD_FORMS: readonly CpuForm[] =
  Number.parseInt(process.versions.node, 10) >= 22 ? [WASM_RELAXED, WASM_SCALAR] : [WASM_SCALAR];
export const NATIVE: CpuForm = { features: ['simd', 'scalar'], native: true, threads: 0 };

/** A CPU backend of one form; fails when the machine would silently use another. */
export async function openCpu(id: string, { features, native, threads }: CpuForm) {
  const spec = hashSpec(id);
  const opened = await openCpuBackend(spec, await spec.load(), { threads, engine: { features, native } });
  const wanted = native ? 'hashtree' : `wasm ${features[0]}`;
  if (opened.engine.name !== wanted) throw new Error(`${id}: wanted ${wanted}, got ${opened.engine.name}`);
  return opened;
}

/** A hasher of one form; fails when the machine would silently use another. */
export async function openHasher(id: string, { features, native, threads }: CpuForm): Promise<Hasher> {
  const modes = [!native && 'no-native', features[0] === 'scalar' && 'no-simd'].filter((mode) => mode);
  const before = process.env.CAMBIUM_CPU;
  process.env.CAMBIUM_CPU = modes.join(',');
  try {
    const hasher = await createHasher(hashSpec(id), { backend: 'cpu', threads });
    const { engine } = hasher.info.cpu;
    if (engine === (native ? 'hashtree' : `wasm ${features[0]}`)) return hasher;
    await hasher.close();
    throw new Error(`${id}: wanted ${features[0]}, got ${engine}`);
  } finally {
    if (before === undefined) delete process.env.CAMBIUM_CPU;
    else process.env.CAMBIUM_CPU = before;
  }
}

/** `count` bytes that are no pattern, the same in every run. */
export function testBytes(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count);
  let state = 1;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

/** A layer hashed into one buffer that is kept. */
export function layer(
  name: string,
  nodes: Uint8Array,
  hashInto: (nodes: Uint8Array, out: Uint8Array) => unknown,
): Contender {
  const out = new Uint8Array(nodes.length / 2);
  return { name, run: () => hashInto(nodes, out), output: () => out };
}
