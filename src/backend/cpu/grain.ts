/** How large the blocks of a job are, and whether it is worth splitting at all. Times in nanoseconds. */

/** A block below this is not worth the wake-up of a worker. */
const LEAST_BLOCK = 20_000;
/** A block above this keeps a job from ending, or its caller from yielding. */
const MOST_BLOCK = 2_000_000;
/** Blocks per thread, so that an early thread has something to take over. */
const BLOCKS_PER_PARTY = 4;
/** Hashes that kernels take side by side: fewer take as long. */
const LANES = 4;
/** Work from which workers pay: a futex wakes in microseconds, a message takes tens of them each way. */
const LEAST_SPLIT = { shared: 60_000, messages: 500_000 } as const;

/** Whether a job of this length pays to be split. */
export function paysToSplit(nanoseconds: number, sharedMemory: boolean): boolean {
  return nanoseconds >= (sharedMemory ? LEAST_SPLIT.shared : LEAST_SPLIT.messages);
}

/**
 * Hashes per block.
 *
 * @param count hashes of the job. @param nanos time of one. @param parties threads that take part.
 * @param most as many as a slot holds.
 */
export function grain(count: number, nanos: number, parties: number, most: number): number {
  const even = Math.ceil(count / (BLOCKS_PER_PARTY * parties));
  const least = Math.ceil(LEAST_BLOCK / nanos);
  const longest = Math.max(1, Math.floor(MOST_BLOCK / nanos));
  const hashes = Math.min(Math.max(even, least), longest, most);
  return Math.max(LANES, hashes & ~(LANES - 1));
}
