import { DIGEST_BYTES, equalBytes } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { decodeElements } from '../../hash/elements.js';
import type { HashInput, HashModule } from '../../hash/types.js';
import type { SyncEngine } from '../types.js';

/** Four in lanes, three beside a repeated one, and with `hashPair` a single one. */
const PAIRS = 7;
const ROWS = 3;
/** Around the ends of blocks, neighbours of equal and of different block counts; BLAKE3 has a tree in the last. */
const LENGTHS = /* @__PURE__ */ Uint32Array.of(0, 1, 3, 8, 55, 56, 64, 119, 120, 127, 128, 130, 300, 2049);

/** Bytes without a pattern that a kernel could get right by accident. */
function testBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let word = 0x9e3779b9;
  for (let i = 0; i < length; i++) {
    word = (Math.imul(word, 0x01000193) ^ i) >>> 0;
    bytes[i] = word >>> 13;
  }
  return bytes;
}

/** Inputs and right digests for one hash, made once for all of its builds. */
export class SelfTest {
  readonly #module: HashModule;
  readonly #input: HashInput;
  readonly #nodes: Uint8Array<ArrayBuffer>;
  readonly #parents: Uint8Array<ArrayBuffer>;

  constructor(module: HashModule, input: HashInput, canonical: (nodes: Uint8Array) => void) {
    this.#module = module;
    this.#input = input;
    this.#nodes = testBytes(PAIRS * 2 * DIGEST_BYTES);
    canonical(this.#nodes);
    this.#parents = new Uint8Array(PAIRS * DIGEST_BYTES);
    for (let i = 0; i < PAIRS; i++) this.#parents.set(module.hashPair(...this.#pair(i)), i * DIGEST_BYTES);
  }

  /**
   * Compares an engine with the reference, and returns how long one hash took, in nanoseconds.
   *
   * @throws {CambiumError} `KERNEL_SELF_TEST` when a digest differs.
   */
  run(engine: SyncEngine): number {
    const out = new Uint8Array(this.#parents.length);
    engine.hashPairs(this.#nodes, out);
    this.#compare(engine, 'pairs', out, this.#parents);
    this.#compare(
      engine,
      'a pair',
      engine.hashPair(...this.#pair(0)),
      this.#parents.subarray(0, DIGEST_BYTES),
    );
    if (engine.hashMessages) this.#messages(engine);
    if (engine.hashRows && this.#module.hashElements) this.#rows(engine);
    const start = performance.now();
    engine.hashPairs(this.#nodes, out);
    // Clocks of browsers may be too coarse to see this much work.
    return Math.max(20, ((performance.now() - start) * 1e6) / PAIRS);
  }

  #pair(i: number): [Uint8Array, Uint8Array] {
    const at = 2 * i * DIGEST_BYTES;
    return [
      this.#nodes.subarray(at, at + DIGEST_BYTES),
      this.#nodes.subarray(at + DIGEST_BYTES, at + 2 * DIGEST_BYTES),
    ];
  }

  #messages(engine: SyncEngine): void {
    const bytes = testBytes(LENGTHS.reduce((sum, length) => sum + length, 0));
    const out = new Uint8Array(LENGTHS.length * DIGEST_BYTES);
    engine.hashMessages!(bytes, LENGTHS, out);
    const right = new Uint8Array(out.length);
    let start = 0;
    LENGTHS.forEach((length, i) => {
      right.set(this.#module.hash!(bytes.subarray(start, start + length)), i * DIGEST_BYTES);
      start += length;
    });
    this.#compare(engine, 'messages', out, right);
  }

  /** Rows of two digests and a half. */
  #rows(engine: SyncEngine): void {
    if (this.#input === 'bytes') return;
    const rowBytes = 2.5 * DIGEST_BYTES - ((2.5 * DIGEST_BYTES) % this.#input.elementBytes);
    const rows = this.#nodes.subarray(0, ROWS * rowBytes);
    const elements = rowBytes / this.#input.elementBytes;
    const out = new Uint8Array(ROWS * DIGEST_BYTES);
    engine.hashRows!(rows, elements, out);
    const right = new Uint8Array(out.length);
    for (let i = 0; i < ROWS; i++) {
      const row = decodeElements(rows.subarray(i * rowBytes, (i + 1) * rowBytes), this.#input);
      right.set(this.#module.hashElements!(row), i * DIGEST_BYTES);
    }
    this.#compare(engine, 'rows', out, right);
  }

  #compare(engine: SyncEngine, what: string, got: Uint8Array, right: Uint8Array): void {
    if (equalBytes(got, right)) return;
    throw new CambiumError(
      'KERNEL_SELF_TEST',
      `${engine.name}: ${what} of ${this.#module.id} differ from the reference`,
    );
  }
}
