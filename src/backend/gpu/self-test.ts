/**
 * The first use of each kernel on a device: digests of fixed input, compared with the CPU's.
 *
 * Drivers do miscompile. 65 hashes cross the edge of a workgroup.
 */
import { DIGEST_BYTES, equalBytes } from '../../bytes.js';
import type { Matrix } from '../types.js';
import { type TakeBuffer, Usage } from './buffer-pool.js';
import { recordCheck } from './check.js';
import type { HashOnGpu, Kernel } from './kernel.js';
import type { LiveDevice } from './live-device.js';
import { recordMatrix } from './matrix.js';
import { messageShape, recordMessages } from './messages.js';
import { TOP_NODES } from './plan.js';
import { Readback } from './readback.js';
import { type Range, Recorder, uncounted } from './recorder.js';
import { recordTop } from './top.js';

const HASHES = 65;

/** Bytes without a pattern that a wrong kernel could keep. */
function testBytes(length: number): Uint8Array<ArrayBuffer> {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

/** Nodes that are canonical for every field: the top bits of each element are clear, whatever its size and order. */
function testNodes(count: number): Uint8Array<ArrayBuffer> {
  return testBytes(count * DIGEST_BYTES).map((byte, i) => (i % 8 === 0 || i % 8 === 7 ? byte & 0x1f : byte));
}

/** Runs one recording on fresh buffers and compares what it leaves in `output`. */
async function computes(
  live: LiveDevice,
  expected: Uint8Array,
  record: (recorder: Recorder, take: TakeBuffer, output: Range) => Promise<void>,
): Promise<boolean> {
  return await live.pool.borrow(async (take) => {
    const options = uncounted();
    const recorder = await Recorder.open(live, take, options);
    const size = expected.length;
    const output = { buffer: await take('self-test output', Usage.nodes, size), offset: 0, size };
    await record(recorder, take, output);
    const readback = await Readback.open(recorder, take, size);
    const digests = readback.take(output);
    await readback.arrive(options.counters);
    return equalBytes(digests(), expected);
  });
}

/** Uploads nodes for a kernel that reads a layer. */
async function uploadNodes(recorder: Recorder, take: TakeBuffer, nodes: Uint8Array): Promise<Range> {
  const buffer = await take('self-test input', Usage.nodes, nodes.length);
  recorder.upload(buffer, 0, nodes);
  return { buffer, offset: 0, size: nodes.length };
}

/** Whether `pairs` makes the CPU's digests. */
export async function testPairs(live: LiveDevice, hash: HashOnGpu, kernel: Kernel): Promise<boolean> {
  const nodes = testNodes(2 * HASHES);
  const expected = new Uint8Array(HASHES * DIGEST_BYTES);
  hash.engine.hashPairs(nodes, expected);
  return await computes(live, expected, async (recorder, take, output) => {
    await recorder.pairs(kernel, await uploadNodes(recorder, take, nodes), output, HASHES);
  });
}

/** Whether `check` finds the first of two elements that are not canonical. */
export async function testCheck(live: LiveDevice, { input }: HashOnGpu, kernel: Kernel): Promise<boolean> {
  if (input === 'bytes') throw new TypeError('check: a hash of bytes has no elements');
  const { elementBytes } = input;
  const nodes = testNodes(2 * HASHES).subarray(0, 2 * HASHES * elementBytes);
  const bad = HASHES - 1;
  for (const element of [bad, bad + 1]) nodes.fill(255, element * elementBytes, (element + 1) * elementBytes);
  const expected = new Uint8Array(Uint32Array.of(bad).buffer);
  return await computes(live, expected, async (recorder, take, found) => {
    await recordCheck(recorder, { kernel, input }, await uploadNodes(recorder, take, nodes), found);
  });
}

/** Whether `top` makes all nine levels as the CPU does. */
export async function testTop(live: LiveDevice, hash: HashOnGpu, kernel: Kernel): Promise<boolean> {
  const nodes = testNodes(TOP_NODES);
  const expected = new Uint8Array((TOP_NODES - 1) * DIGEST_BYTES);
  let below = nodes;
  for (let at = 0; at < expected.length; ) {
    const level = expected.subarray(at, at + below.length / 2);
    hash.engine.hashPairs(below, level);
    at += level.length;
    below = level;
  }
  return await computes(live, expected, async (recorder, take, output) => {
    await recordTop(recorder, kernel, await uploadNodes(recorder, take, nodes), output, Math.log2(TOP_NODES));
  });
}

/** Beyond what a hash with a tree of its own hashes in one chain. */
const LONG_MESSAGES = [1024, 1025, 2049, 4097];

/** Whether `messages` makes the CPU's digests: lengths around block borders, at every alignment. */
export async function testMessages(live: LiveDevice, hash: HashOnGpu, kernel: Kernel): Promise<boolean> {
  const lengths = Uint32Array.from({ length: HASHES }, (_, i) => LONG_MESSAGES[i] ?? (i * 7) % 301);
  const messages = testBytes(lengths.reduce((sum, length) => sum + length, 0));
  const expected = new Uint8Array(HASHES * DIGEST_BYTES);
  hash.engine.hashMessages!(messages, lengths, expected);
  return await computes(live, expected, async (recorder, take, output) => {
    await recordMessages(
      { recorder, take, kernel, shape: messageShape(hash) },
      { messages, lengths },
      output,
    );
  });
}

/** Elements of a row: more than one block of every sponge, the last of them not full. */
const ROW_ELEMENTS = 11;

/** Whether `rows` makes the CPU's digests. */
export async function testRows(
  live: LiveDevice,
  { input, engine }: HashOnGpu,
  kernel: Kernel,
  rowElements: number = ROW_ELEMENTS,
): Promise<boolean> {
  if (input === 'bytes') throw new TypeError('rows: a hash of bytes has no elements');
  const bytes = HASHES * rowElements * input.elementBytes;
  const rows = testNodes(Math.ceil(bytes / DIGEST_BYTES)).subarray(0, bytes);
  const matrix: Matrix = {
    parts: [rows],
    order: 'rows',
    rows: HASHES,
    rowElements,
    rule: 'hash',
    field: input,
    rate: undefined,
  };
  const expected = new Uint8Array(HASHES * DIGEST_BYTES);
  engine.hashRows!(rows, rowElements, expected);
  return await computes(live, expected, async (recorder, take, output) => {
    await recordMatrix({ recorder, take, kernel }, matrix, output);
  });
}

/** Time that the measured work should take, in milliseconds, and the pairs that it hashes at first and at most. */
const MEASURE_MS = 10;
const MEASURE_FROM = 2 ** 6;
const MEASURE_PAIRS = 2 ** 16;

/**
 * Hashes of pairs a second.
 *
 * A submit costs time of its own, some milliseconds where the host polls, so that of an empty one is taken off. Clocks
 * are coarse in browsers, so the work grows until it takes long enough to be seen.
 */
export async function measureRate(live: LiveDevice, kernel: Kernel): Promise<number> {
  const empty = Math.min(await submitTime(live, kernel, 0), await submitTime(live, kernel, 0));
  for (let count = MEASURE_FROM; ; count *= 4) {
    const whole = await submitTime(live, kernel, count);
    const seen = whole - empty >= MEASURE_MS && whole >= 3 * empty;
    // A hiccup in the empty submit must not make a slow device look fast.
    if (seen || count >= MEASURE_PAIRS) return (count / Math.max(whole - empty, whole / 8, 0.1)) * 1000;
  }
}

/** Milliseconds from a submit of so many pairs until the device is done. */
async function submitTime(live: LiveDevice, kernel: Kernel, count: number): Promise<number> {
  return await live.pool.borrow(async (take) => {
    const recorder = await Recorder.open(live, take, uncounted());
    const size = count * DIGEST_BYTES;
    const nodes = { buffer: await take('nodes', Usage.nodes, 2 * size), offset: 0, size: 2 * size };
    const parents = { buffer: await take('parents', Usage.nodes, size), offset: 0, size };
    await recorder.pairs(kernel, nodes, parents, count);
    const began = performance.now();
    await recorder.flush();
    await live.settled('submit', live.device.queue.onSubmittedWorkDone());
    return performance.now() - began;
  });
}
