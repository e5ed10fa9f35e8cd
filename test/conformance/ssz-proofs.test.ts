/** Generalized indices, single proofs and multiproofs, and proofs that must fail. */
import { afterAll, describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import * as ssz from '../../src/ssz/index.ts';
import { stream } from '../support/cpu.ts';
import { loadSsz, typeOf } from '../support/ssz-vectors.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

interface Single {
  readonly name: string;
  readonly gindex: string;
  readonly depth: number;
  readonly index: string;
  readonly leaf: string;
  readonly branch: readonly string[];
  readonly root: string;
}

interface Multi {
  readonly name: string;
  readonly gindices: readonly string[];
  readonly leaves: readonly string[];
  readonly helper_gindices: readonly string[];
  readonly proof: readonly string[];
  readonly root: string;
}

interface Made {
  readonly type: unknown;
  readonly serialized: string;
}

interface ProofFile {
  readonly single: readonly (Single & Made)[];
  readonly multi: readonly (Multi & Made)[];
  readonly must_fail: readonly (Single | Multi)[];
  readonly must_fail_strict: readonly Multi[];
}

const digests = (hex: readonly string[]) => hex.map(fromHex);

function verifiesSingle({ root, gindex, leaf, branch }: Single): boolean {
  const claim = { root: fromHex(root), gindex: BigInt(gindex), leaf: fromHex(leaf) };
  return ssz.verifyProof(hasher, claim, digests(branch));
}

function verifiesBranch({ root, depth, index, leaf, branch }: Single): boolean {
  const claim = { root: fromHex(root), depth, index: BigInt(index), leaf: fromHex(leaf) };
  return ssz.isValidMerkleBranch(hasher, claim, digests(branch));
}

function verifiesMulti({ root, gindices, leaves, proof }: Multi): boolean {
  const claim = { root: fromHex(root), gindices: gindices.map(BigInt), leaves: digests(leaves) };
  return ssz.verifyMultiproof(hasher, claim, digests(proof));
}

/** False, or refused as a claim that no tree can make. */
function fails(verify: () => boolean): boolean {
  try {
    return !verify();
  } catch (error) {
    return error instanceof RangeError;
  }
}

describe('generalized indices', () => {
  interface PathCase {
    readonly type: unknown;
    readonly path: readonly (string | number)[];
    readonly gindex: string;
  }
  const { cases } = loadSsz<{ cases: readonly PathCase[] }>('gindices');

  it.each(cases)('$path is $gindex', ({ type, path, gindex }) => {
    expect(ssz.gindexOf(typeOf(type), path)).toBe(BigInt(gindex));
  });
});

const { single, multi, must_fail, must_fail_strict } = loadSsz<ProofFile>('proofs');

describe('single proofs', () => {
  it.each(single)('$name', async (vector) => {
    const value = ssz.serialized(fromHex(vector.serialized));
    const made = await ssz.createProof(hasher, typeOf(vector.type), value, BigInt(vector.gindex));
    expect(toHex(made.leaf)).toBe(vector.leaf);
    expect(made.branch.map(toHex)).toEqual(vector.branch);
    expect(verifiesSingle(vector)).toBe(true);
    expect(verifiesBranch(vector)).toBe(true);
    const claim = { root: fromHex(vector.root), gindex: made.gindex, leaf: made.leaf };
    const longer = [new Uint8Array(32), new Uint8Array(32), ...made.branch];
    expect(ssz.isValidNormalizedMerkleBranch(hasher, claim, longer)).toBe(true);
    expect(
      ssz.isValidNormalizedMerkleBranch(hasher, claim, [new Uint8Array(32).fill(1), ...made.branch]),
    ).toBe(false);
  });
});

describe('multiproofs', () => {
  it.each(multi)('$name', async (vector) => {
    const value = ssz.serialized(fromHex(vector.serialized));
    const gindices = vector.gindices.map(BigInt);
    const made = await ssz.createMultiproof(hasher, typeOf(vector.type), value, gindices);
    expect(ssz.helperGindices(gindices).map(String)).toEqual(vector.helper_gindices);
    expect(made.leaves.map(toHex)).toEqual(vector.leaves);
    expect(made.proof.map(toHex)).toEqual(vector.proof);
    expect(verifiesMulti(vector)).toBe(true);
  });
});

describe('proofs that must fail', () => {
  it.each([...must_fail, ...must_fail_strict])('$name', (vector) => {
    if ('gindices' in vector) expect(fails(() => verifiesMulti(vector))).toBe(true);
    else {
      expect(fails(() => verifiesSingle(vector))).toBe(true);
      expect(fails(() => verifiesBranch(vector))).toBe(true);
    }
  });
});

describe('transactions', () => {
  const type = ssz.list(ssz.byteList(2 ** 30), 2 ** 20);
  interface Small {
    readonly serialized: string;
    readonly root: string;
    readonly gindex: string;
    readonly leaf: string;
    readonly branch: readonly string[];
    readonly element_roots: readonly string[];
  }
  interface Larger {
    readonly transactions: number;
    readonly serialized_sha256: string;
    readonly root: string;
    readonly proof_index: number;
    readonly branch: readonly string[];
  }
  const { small, larger } = loadSsz<{ small: Small; larger: readonly Larger[] }>('transactions');

  it('the published benchmark takes 126 hashes for a root and no more for a proof', async () => {
    const value = ssz.serialized(fromHex(small.serialized));
    const start = hasher.info.counters.hashesCpu;
    expect(toHex(ssz.hashTreeRootSync(hasher, type, value))).toBe(small.root);
    expect(hasher.info.counters.hashesCpu - start).toBe(126);
    const { gindex, leaf, branch } = await ssz.createProof(hasher, type, value, [1]);
    expect(hasher.info.counters.hashesCpu - start).toBe(2 * 126);
    expect(gindex).toBe(BigInt(small.gindex));
    expect(toHex(leaf)).toBe(small.leaf);
    expect(branch.map(toHex)).toEqual(small.branch);
    const value4 = ssz.deserialize(type, value.bytes) as Uint8Array[];
    expect(value4.map((each) => toHex(ssz.hashTreeRootSync(hasher, ssz.byteList(2 ** 30), each)))).toEqual(
      small.element_roots,
    );
  });

  it.each(larger)('$transactions', async ({ transactions, serialized_sha256, root, proof_index, branch }) => {
    const value = Array.from({ length: transactions }, (_, i) =>
      stream(`tx-${i}`, 100 + ((i * 7919) % 1900)),
    );
    const bytes = ssz.serialize(type, value);
    expect(toHex(hasher.hash(bytes))).toBe(serialized_sha256);
    expect(toHex(await ssz.hashTreeRoot(hasher, type, ssz.serialized(bytes)))).toBe(root);
    const proof = await ssz.createProof(hasher, type, value, [proof_index]);
    expect(proof.branch.map(toHex)).toEqual(branch);
  });
});

describe('a claim', () => {
  const root = new Uint8Array(32);
  const leaf = new Uint8Array(32);

  it('has bounds on depth and count', () => {
    expect(() => ssz.verifyProof(hasher, { root, leaf, gindex: 1n << 257n }, [])).toThrow(RangeError);
    const gindices = Array.from({ length: 4097 }, (_, i) => 8192n + BigInt(i));
    const leaves = gindices.map(() => leaf);
    expect(() => ssz.verifyMultiproof(hasher, { root, leaves, gindices }, [])).toThrow(/4096/);
    expect(() => ssz.gindexOf(ssz.uint8, [0])).toThrow(RangeError);
  });

  it('may be about the root itself', () => {
    expect(ssz.verifyProof(hasher, { root, leaf, gindex: 1n }, [])).toBe(true);
    expect(ssz.verifyMultiproof(hasher, { root, leaves: [leaf], gindices: [1n] }, [])).toBe(true);
    expect(ssz.verifyProof(hasher, { root, leaf: concatBytes(leaf).fill(1), gindex: 1n }, [])).toBe(false);
  });
});
