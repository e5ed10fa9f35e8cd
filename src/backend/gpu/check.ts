/** Refuses elements at or above their modulus, on the device: what it costs there is nothing beside a field hash. */
import { DIGEST_BYTES } from '../../bytes.js';
import { notCanonical } from '../../hash/canonical.js';
import type { FieldInput } from '../../hash/types.js';
import { type TakeBuffer, Usage } from './buffer-pool.js';
import type { Kernel } from './kernel.js';
import { dispatchItems, GROUP } from './plan.js';
import type { Arrived, Readback } from './readback.js';
import type { Range, Recorder } from './recorder.js';

/** Bytes that a check needs of the readback. */
export const CHECK_BYTES = 4;
/** What stands in the place of a position where there is none. */
const NONE = 0xffffffff;

/** The kernel of a hash, and what it checks. */
export interface CanonicalCheck {
  readonly kernel: Kernel;
  readonly input: FieldInput;
}

/** Records a check of all elements of `range`; `found` gets the position of the first that is not canonical. */
export async function recordCheck(
  recorder: Recorder,
  { kernel, input: { elementBytes } }: CanonicalCheck,
  range: Range,
  found: Range,
): Promise<void> {
  recorder.upload(found.buffer, found.offset, new Uint8Array(CHECK_BYTES).fill(255));
  const count = range.size / elementBytes;
  const most = dispatchItems(recorder.live.limits, GROUP);
  for (let first = 0; first < count; first += most) {
    const part = Math.min(most, count - first);
    await recorder.dispatch({
      kernel,
      storage: [
        { buffer: range.buffer, offset: range.offset + first * elementBytes, size: part * elementBytes },
        found,
      ],
      params: [part, first],
      groups: Math.ceil(part / GROUP),
      hashes: 0,
      cost: 0,
    });
  }
}

/** Where the elements of digests stand, of which `before` are in front of them. */
export function behind(before: number, { input }: CanonicalCheck): (position: number) => number {
  return (position) => (before * DIGEST_BYTES) / input.elementBytes + position;
}

/**
 * Checks what a job's user handed in, once its readback has arrived.
 *
 * @param place where an element of `range` stands in the user's input.
 * @returns a function that throws `NOT_CANONICAL` with the position of the first element out of range.
 */
export async function checkRange(
  context: { recorder: Recorder; take: TakeBuffer; readback: Readback },
  check: CanonicalCheck,
  range: Range,
  place: (position: number) => number,
): Promise<() => void> {
  const { recorder, take, readback } = context;
  const found = { buffer: await take('check', Usage.nodes, CHECK_BYTES), offset: 0, size: CHECK_BYTES };
  await recordCheck(recorder, check, range, found);
  const arrived: Arrived = readback.take(found);
  return () => {
    const position = new DataView(arrived().buffer).getUint32(0, true);
    if (position === NONE) return;
    throw notCanonical(place(position), check.input);
  };
}
