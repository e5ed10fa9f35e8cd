/**
 * Poseidon2 in Miden's sponge, in the domain of the leaves of sparse trees (miden-crypto from v0.25 on), where no inner
 * node can pass for a leaf. It is a part of those trees and no hash of its own.
 */
import { hashInDomain, mergeInDomain } from './poseidon2-miden.js';
import type { HashModule, HashSpec } from './types.js';

/** What stands in the second capacity element. */
export const LEAF_DOMAIN = 0x13afn;

export const reference: HashModule = {
  id: 'poseidon2-miden-leaf',
  rate: 8,
  hashElements: (elements) => hashInDomain(elements, LEAF_DOMAIN),
  hashPair: (left, right) => mergeInDomain(left, right, LEAF_DOMAIN),
};

/** The hash of leaves, for `createHasher`; the CPU alone has kernels for it. */
export const leafSpec: HashSpec = {
  id: reference.id,
  digestBytes: 32,
  input: { elementBytes: 8, modulus: 0xffffffff00000001n, order: 'le' },
  zero: /* @__PURE__ */ new Uint8Array(32),
  load: async () => reference,
  cpu: () => import('../generated/cpu/poseidon2-miden-leaf.js'),
};
