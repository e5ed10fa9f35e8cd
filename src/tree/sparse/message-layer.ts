import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { type Hasher, uncheckedMessage } from '../../hasher.js';

/** Messages from which threads or a GPU are worth a promise. */
const LEAST_ASYNC = 2048;

/** Hashes layers of messages: at once while there are few, else by threads or GPU. */
export class MessageLayers {
  readonly hasher: Hasher;
  /** Whether single messages may be hashed on the caller's thread. */
  readonly onCaller: boolean;
  readonly #one: (message: Uint8Array, lengths: Uint32Array, out: Digest) => void;
  readonly #digest: Digest = new Uint8Array(DIGEST_BYTES);
  /** A message of each length, so that none is made for each hash. */
  readonly #messages: Digest[] = [];
  readonly #lengths: Uint32Array[] = [];

  /** @param hasher one that was opened for the GPU alone gets all layers there. */
  constructor(hasher: Hasher) {
    this.hasher = hasher;
    this.onCaller = hasher.info.backend !== 'gpu';
    this.#one = uncheckedMessage(hasher);
  }

  /** Room for one message of this length, to be filled and given to {@link hashOne}; the next one of this length is there, too. */
  message(length: number): Digest {
    this.#messages[length] ??= new Uint8Array(length);
    return this.#messages[length];
  }

  /** Digest of a {@link message}; valid until the next one. */
  hashOne(message: Digest): Digest {
    this.#lengths[message.length] ??= Uint32Array.of(message.length);
    this.#one(message, this.#lengths[message.length]!, this.#digest);
    return this.#digest;
  }

  /** `n x 32` bytes of digests of messages that stand one after the other. */
  hash(
    messages: Uint8Array,
    lengths: Uint32Array,
    signal?: AbortSignal | undefined,
  ): Digest | Promise<Digest> {
    if (lengths.length < LEAST_ASYNC && this.onCaller) return this.hasher.hashMessagesSync(messages, lengths);
    return this.hasher.hashMessages(messages, lengths, { signal });
  }
}
