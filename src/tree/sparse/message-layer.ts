import type { Digest } from '../../bytes.js';
import type { Hasher } from '../../hasher.js';

/** Messages from which threads or a GPU are worth a promise. */
const LEAST_ASYNC = 2048;

/** Hashes layers of messages: at once while there are few, else by threads or GPU. */
export class MessageLayers {
  readonly hasher: Hasher;
  readonly #gpuOnly: boolean;

  /** @param hasher one that was opened for the GPU alone gets all layers there. */
  constructor(hasher: Hasher) {
    this.hasher = hasher;
    this.#gpuOnly = hasher.info.backend === 'gpu';
  }

  /** `n x 32` bytes of digests of messages that stand one after the other. */
  hash(
    messages: Uint8Array,
    lengths: Uint32Array,
    signal?: AbortSignal | undefined,
  ): Digest | Promise<Digest> {
    if (lengths.length < LEAST_ASYNC && !this.#gpuOnly)
      return this.hasher.hashMessagesSync(messages, lengths);
    return this.hasher.hashMessages(messages, lengths, { signal });
  }
}
