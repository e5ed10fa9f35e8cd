/** SHA-256 of messages over node:crypto, without a backend: for processes that run before anything is built. */
import type { Digest } from '../../src/bytes.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import type { Hasher } from '../../src/hasher.ts';
import { sha256 } from './naive-tree.ts';

function hashMessagesSync(messages: Uint8Array, lengths: Uint32Array): Digest {
  const digests = new Uint8Array(32 * lengths.length);
  let at = 0;
  for (const [i, length] of lengths.entries()) {
    digests.set(sha256(messages.subarray(at, at + length)), 32 * i);
    at += length;
  }
  return digests;
}

export const messageHasher: Pick<Hasher, 'spec' | 'hash' | 'hashMessages' | 'hashMessagesSync'> & {
  readonly info: Pick<Hasher['info'], 'backend'>;
} = {
  spec: hashSpec('sha256'),
  info: { backend: 'cpu' },
  hash: (message) => sha256(message),
  hashMessagesSync,
  hashMessages: async (messages, lengths) => hashMessagesSync(messages, lengths),
};
