/**
 * One hash bound to the backends opened for it.
 */
import { openCpuBackend } from './backend/cpu/index.js';
import { type GpuAdapterInfo, openGpuBackend } from './backend/gpu/index.js';
import type { Backend, JobOptions, SyncEngine } from './backend/types.js';
import { assertBytes, assertLength, assertMultiple, DIGEST_BYTES, type Digest } from './bytes.js';
import { CambiumError, throwIfAborted } from './errors.js';
import { assertCanonical, notCanonical } from './hash/canonical.js';
import { encodeElements } from './hash/elements.js';
import { type HashId, hashSpec } from './hash/registry.js';
import type { HashModule, HashSpec, RowRule } from './hash/types.js';
import type {
  BackendChoice,
  HashedTree,
  Hasher,
  HasherInfo,
  HasherOptions,
  HashTreeOptions,
} from './hasher-types.js';
import {
  type ChunkedLeaves,
  checkMessages,
  chunkLeaves,
  type LeafHash,
  type LeafSource,
} from './leaf-source.js';
import { type GpuSide, Scheduler } from './scheduler.js';
import { foldTree, hashLeaves } from './tree-job.js';

export type * from './hasher-types.js';

/**
 * Opens a hasher.
 *
 * @throws {RangeError} for an unknown id or an option out of range.
 * @throws {CambiumError} `BACKEND_UNAVAILABLE` when `backend: 'gpu'` finds no GPU.
 * @example
 * ```ts
 * const hasher = await createHasher('sha256');
 * const parents = await hasher.hashPairs(new Uint8Array(4 * 32)); // two digests
 * await hasher.close();
 * ```
 */
export async function createHasher(hash: HashId | HashSpec, options: HasherOptions = {}): Promise<Hasher> {
  const spec = typeof hash === 'string' ? hashSpec(hash) : hash;
  const { backend: choice = 'auto', crossCheck = 'sample', threads, gpuThreshold } = checkOptions(options);
  const module = await spec.load();
  const openCpu = () => openCpuBackend(spec, module, threads === undefined ? {} : { threads });
  const openGpu = (engine: SyncEngine) =>
    openGpuBackend(spec, { engine, messageBlocks: module.messageBlocks, gpu: options.gpu });

  const cpu = await openCpu();
  let gpu: (GpuSide & { readonly info: GpuAdapterInfo }) | undefined;
  let refused: string | undefined;
  try {
    const opened = choice === 'cpu' ? undefined : await openGpu(cpu.engine);
    if (opened && 'refused' in opened) {
      if (choice === 'gpu') throw noGpu(spec, opened);
      refused = opened.refused;
    } else gpu = opened;
  } catch (error) {
    await cpu.backend.close();
    throw error;
  }
  const scheduler = new Scheduler({
    choice,
    crossCheck,
    cpu: cpu.backend,
    engine: cpu.engine,
    gpu,
    gpuThreshold,
    calibrationKey: `${spec.id} ${cpu.engine.name} ${cpu.threads}`,
    async openTwins() {
      const twin = await openCpu();
      const opened = await openGpu(twin.engine);
      if ('refused' in opened) throw noGpu(spec, opened);
      return { cpu: twin.backend, gpu: opened.backend };
    },
  });
  return new OpenHasher({ spec, module, choice, scheduler, cpu, gpu, refused });
}

/**
 * Pairs of a hasher for callers whose layers are right by construction: lengths, canonical elements, no overlap but
 * in place. Small layers gain: what is left out costs as much as a third of a native call.
 */
export function uncheckedPairs(hasher: Hasher): (nodes: Uint8Array, out: Digest) => void {
  return hasher instanceof OpenHasher
    ? (nodes, out) => hasher.hashRightPairs(nodes, out)
    : (nodes, out) => void hasher.hashPairsSync(nodes, out);
}

/** One message without checks, for the same callers; `lengths` holds the length of the message alone. */
export function uncheckedMessage(
  hasher: Hasher,
): (message: Uint8Array, lengths: Uint32Array, out: Digest) => void {
  return hasher instanceof OpenHasher
    ? (message, lengths, out) => hasher.hashRightMessage(message, lengths, out)
    : (message, lengths, out) => out.set(hasher.hashMessagesSync(message, lengths));
}

function noGpu({ id }: HashSpec, { refused, error }: { refused: string; error: CambiumError }): CambiumError {
  return new CambiumError('BACKEND_UNAVAILABLE', `no GPU for ${id}: ${refused}`, { cause: error });
}

function checkOptions(options: HasherOptions): HasherOptions {
  const { backend, crossCheck, threads, gpuThreshold } = options;
  const oneOf = (name: string, value: unknown, known: readonly unknown[]): void => {
    if (value !== undefined && !known.includes(value)) {
      throw new RangeError(`${name}: expected one of ${known.join(', ')}, got ${String(value)}`);
    }
  };
  oneOf('backend', backend, ['auto', 'cpu', 'gpu']);
  oneOf('crossCheck', crossCheck, ['off', 'sample', 'full']);
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 0 && threads <= 256)) {
    throw new RangeError(`threads: expected a whole number from 0 to 256, got ${threads}`);
  }
  if (gpuThreshold !== undefined && !(gpuThreshold >= 0)) {
    throw new RangeError(`gpuThreshold: expected a number of hashes, got ${gpuThreshold}`);
  }
  return options;
}

interface HasherParts {
  readonly spec: HashSpec;
  readonly module: HashModule;
  readonly choice: BackendChoice;
  readonly scheduler: Scheduler;
  readonly cpu: { readonly backend: Backend; readonly engine: SyncEngine; readonly threads: number };
  readonly gpu: (GpuSide & { readonly info: GpuAdapterInfo }) | undefined;
  readonly refused: string | undefined;
}

class OpenHasher implements Hasher {
  readonly spec: HashSpec;
  readonly #parts: HasherParts;
  readonly #zeros: Digest[];
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(parts: HasherParts) {
    this.spec = parts.spec;
    this.#parts = parts;
    this.#zeros = [parts.spec.zero];
  }

  get info(): HasherInfo {
    const { choice, scheduler, cpu, gpu, refused } = this.#parts;
    const gpuRefused =
      scheduler.gpuRefused ??
      refused ??
      (choice === 'auto' && gpu?.software ? 'a software adapter is no GPU' : undefined);
    const { gpuThreshold } = scheduler;
    const counted = gpu?.backend.counters;
    return {
      backend: choice,
      cpu: { engine: cpu.engine.name, threads: cpu.threads },
      ...(gpu && { gpu: gpu.info }),
      ...(gpuRefused !== undefined && { gpuRefused }),
      ...(gpuThreshold !== undefined && { gpuThreshold }),
      counters: {
        hashesCpu: cpu.backend.counters.hashes,
        hashesGpu: counted?.hashes ?? 0,
        dispatches: counted?.dispatches ?? 0,
        bytesUp: counted?.bytesUp ?? 0,
        bytesDown: counted?.bytesDown ?? 0,
      },
    };
  }

  hash(message: Uint8Array): Digest {
    this.#assertOpen();
    assertBytes(message, 'message');
    const { engine, backend } = this.#parts.cpu;
    if (!engine.hashMessages) throw new TypeError(`message: ${this.spec.id} has no form for bytes`);
    const digest = new Uint8Array(DIGEST_BYTES);
    engine.hashMessages(message, Uint32Array.of(message.length), digest);
    backend.counters.hashes++;
    return digest;
  }

  hashElements(elements: readonly bigint[]): Digest {
    this.#assertOpen();
    const { module, cpu } = this.#parts;
    const { input } = this.spec;
    if (!module.hashElements || input === 'bytes') {
      throw new TypeError(`elements: ${this.spec.id} has no form for elements`);
    }
    cpu.backend.counters.hashes++;
    const { maxElements = Number.POSITIVE_INFINITY } = module;
    // The reference knows what is wrong with numbers of elements that no kernel takes.
    if (!cpu.engine.hashRows || elements.length === 0 || elements.length > maxElements) {
      return module.hashElements(elements);
    }
    elements.forEach((element, i) => {
      if (element < 0n || element >= input.modulus) throw notCanonical(i, input);
    });
    const digest = new Uint8Array(DIGEST_BYTES);
    cpu.engine.hashRows(encodeElements(elements, input), elements.length, digest);
    return digest;
  }

  hashPair(left: Uint8Array, right: Uint8Array): Digest {
    this.#assertOpen();
    assertLength(left, DIGEST_BYTES, 'left');
    assertLength(right, DIGEST_BYTES, 'right');
    const { input } = this.spec;
    if (input !== 'bytes') {
      assertCanonical(left, input);
      assertCanonical(right, input, DIGEST_BYTES / input.elementBytes);
    }
    this.#parts.cpu.backend.counters.hashes++;
    return this.#parts.cpu.engine.hashPair(left, right);
  }

  hashPairsSync(nodes: Uint8Array, out?: Digest): Digest {
    this.#assertOpen();
    const parents = checkLayer(nodes, out);
    assertCanonical(nodes, this.spec.input);
    this.hashRightPairs(nodes, parents);
    return parents;
  }

  /** Pairs that need no checks, see {@link uncheckedPairs}. */
  hashRightPairs(nodes: Uint8Array, out: Digest): void {
    this.#assertOpen();
    const { engine, backend } = this.#parts.cpu;
    engine.hashPairs(nodes, out);
    backend.counters.hashes += out.length / DIGEST_BYTES;
  }

  async hashPairs(
    nodes: Uint8Array,
    out?: Digest,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Digest> {
    return await this.#run(options.signal, async () => {
      const parents = checkLayer(nodes, out);
      if (parents.length) await this.#parts.scheduler.pairs({ nodes, out: parents, signal: options.signal });
      return parents;
    });
  }

  async hashMessages(messages: Uint8Array, lengths: Uint32Array, options: JobOptions = {}): Promise<Digest> {
    return await this.#run(options.signal, async () => {
      checkMessages(messages, lengths, this.#leafHash.messageBlocks);
      return await this.#leaves(chunkLeaves({ messages, lengths }, this.#leafHash, options.signal), options);
    });
  }

  hashMessagesSync(messages: Uint8Array, lengths: Uint32Array): Digest {
    this.#assertOpen();
    const { engine, backend } = this.#parts.cpu;
    checkMessages(messages, lengths, this.#parts.module.messageBlocks);
    const digests = new Uint8Array(lengths.length * DIGEST_BYTES);
    engine.hashMessages!(messages, lengths, digests);
    backend.counters.hashes += lengths.length;
    return digests;
  }

  /** One message that needs no checks, see {@link uncheckedMessage}. */
  hashRightMessage(message: Uint8Array, lengths: Uint32Array, out: Digest): void {
    this.#assertOpen();
    const { engine, backend } = this.#parts.cpu;
    engine.hashMessages!(message, lengths, out);
    backend.counters.hashes++;
  }

  async hashRows(
    rows: Uint8Array,
    rowElements: number,
    options: JobOptions & { readonly rule?: RowRule } = {},
  ): Promise<Digest> {
    const { rule = 'hash', signal } = options;
    return await this.#run(signal, async () => {
      assertBytes(rows, 'rows');
      return await this.#leaves(chunkLeaves({ rows, rowElements, rule }, this.#leafHash, signal), options);
    });
  }

  async hashTree(source: LeafSource, options: HashTreeOptions = {}): Promise<HashedTree> {
    return await this.#run(options.signal, async () => {
      const { scheduler } = this.#parts;
      const { levels, fill: padding = 'zero', keepFrom, signal, onProgress } = checkTreeOptions(options);
      const leaves = chunkLeaves(source, this.#leafHash, signal);
      const backend = await scheduler.choose(
        leaves.count === undefined ? undefined : leaves.leafHashes + leaves.count,
      );
      const zeros = (level: number) => this.#zerosTo(level);
      const { chunkLeaves: chunk, chunksInFlight } = backend;
      return await foldTree(
        { leaves, levels, padding, keepFrom, signal, onProgress, zeros, chunkLeaves: chunk, chunksInFlight },
        (job) => scheduler.chunk(backend, job),
      );
    });
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await Promise.allSettled(this.#underWay);
      await Promise.all([this.#parts.cpu.backend.close(), this.#parts.gpu?.backend.close()]);
    })();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #leafHash(): LeafHash {
    const { module, cpu } = this.#parts;
    return {
      id: this.spec.id,
      input: this.spec.input,
      messageBlocks: module.messageBlocks,
      rate: module.rate,
      maxElements: cpu.engine.hashRows ? (module.maxElements ?? Number.POSITIVE_INFINITY) : 0,
    };
  }

  /** The leaf stage alone. */
  async #leaves(leaves: ChunkedLeaves, options: JobOptions): Promise<Digest> {
    const { scheduler } = this.#parts;
    const backend = await scheduler.choose(leaves.leafHashes);
    const { chunkLeaves: chunk, chunksInFlight } = backend;
    const { signal, onProgress } = options;
    return await hashLeaves({ leaves, chunkLeaves: chunk, chunksInFlight, signal, onProgress }, (job) =>
      scheduler.chunk(backend, job),
    );
  }

  /** Zero digests of levels 0 to `level`, kept for the next tree; constants of the hash, so they are not counted. */
  #zerosTo(level: number): readonly Digest[] {
    const { engine } = this.#parts.cpu;
    while (this.#zeros.length <= level)
      this.#zeros.push(engine.hashPair(this.#zeros.at(-1)!, this.#zeros.at(-1)!));
    return this.#zeros.slice(0, level + 1);
  }

  #assertOpen(): void {
    if (this.#closing) throw new CambiumError('CLOSED', 'the hasher is closed');
  }

  /** Runs an asynchronous job, so that `close` can wait for it. */
  async #run<T>(signal: AbortSignal | undefined, job: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    throwIfAborted(signal);
    const running = job();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }
}

/** Checks a layer of pairs, and makes the output where none is given. */
function checkLayer(nodes: Uint8Array, out: Digest | undefined): Digest {
  assertMultiple(nodes, 2 * DIGEST_BYTES, 'nodes');
  if (out === undefined) return new Uint8Array(nodes.length / 2);
  assertLength(out, nodes.length / 2, 'out');
  const start = out.byteOffset - nodes.byteOffset;
  // The buffers last: asking a small array for its buffer can make one.
  if (
    start !== 0 &&
    start < nodes.length &&
    -start < out.length &&
    (out.buffer as ArrayBufferLike) === nodes.buffer
  ) {
    throw new RangeError('out: it may be the first half of nodes, but not overlap them otherwise');
  }
  return out;
}

function checkTreeOptions(options: HashTreeOptions): HashTreeOptions {
  const { levels, fill, keepFrom } = options;
  for (const [name, value] of [
    ['levels', levels],
    ['keepFrom', keepFrom],
  ] as const) {
    if (value !== undefined && !(Number.isInteger(value) && value >= 0 && value <= 64)) {
      throw new RangeError(`${name}: expected a whole number from 0 to 64, got ${value}`);
    }
  }
  if (fill !== undefined && !['zero', 'promote', 'duplicate', 'none'].includes(fill)) {
    throw new RangeError(`fill: expected zero, promote, duplicate or none, got ${String(fill)}`);
  }
  return options;
}
