/** Sets of generalized indices, as multiproofs have them. */
import { checkGindex, gindexDepth } from './gindex.js';

/** Deepest node that a proof may be about; real types stay below 100. */
export const MAX_PROOF_DEPTH = 256;
/** Most nodes that one multiproof may be about. */
export const MAX_PROOF_NODES = 4096;

/** Refuses a node that no proof is made for. @throws {TypeError} or {RangeError} that names the argument. */
export function checkProvable(gindex: unknown, name: string): asserts gindex is bigint {
  checkGindex(gindex, name);
  const depth = gindexDepth(gindex);
  if (depth > MAX_PROOF_DEPTH) {
    throw new RangeError(`${name}: expected a depth of at most ${MAX_PROOF_DEPTH}, got ${depth}`);
  }
}

/**
 * Refuses a set that does not fix all its nodes: the usual algorithm never looks at a node above or beside which another
 * one of the set already stands.
 *
 * @throws {TypeError} when it is no array of bigints.
 * @throws {RangeError} when it is empty or too large, holds an index twice, or one above another.
 */
export function checkGindices(gindices: unknown): asserts gindices is readonly bigint[] {
  if (!Array.isArray(gindices)) throw new TypeError(`gindices: expected an array, got ${typeof gindices}`);
  if (!gindices.length || gindices.length > MAX_PROOF_NODES) {
    throw new RangeError(`gindices: expected 1 to ${MAX_PROOF_NODES}, got ${gindices.length}`);
  }
  gindices.forEach((gindex, i) => {
    checkProvable(gindex, `gindices[${i}]`);
  });
  const all = new Set<bigint>(gindices);
  if (all.size < gindices.length) throw new RangeError('gindices: expected each once');
  for (const gindex of all) {
    for (let above = gindex >> 1n; above > 0n; above >>= 1n) {
      if (all.has(above)) throw new RangeError(`gindices: ${above} stands above ${gindex}`);
    }
  }
}

/** The siblings on the way from `gindex` to the root, from below: a single proof's nodes. */
export function branchGindices(gindex: bigint): bigint[] {
  const branch: bigint[] = [];
  for (let at = gindex; at > 1n; at >>= 1n) branch.push(at ^ 1n);
  return branch;
}

/**
 * The nodes that a multiproof has to bring, in its order: decreasing.
 *
 * @throws what is wrong with the set, see `checkGindices`.
 * @example
 * ```ts
 * helperGindices([8n, 9n, 14n]); // [15n, 6n, 5n]
 * ```
 */
export function helperGindices(gindices: readonly bigint[]): bigint[] {
  checkGindices(gindices);
  const onPath = new Set<bigint>();
  for (const gindex of gindices) for (let at = gindex; at > 1n; at >>= 1n) onPath.add(at);
  const helpers = [...onPath].map((at) => at ^ 1n).filter((sibling) => !onPath.has(sibling));
  return helpers.sort((a, b) => (a < b ? 1 : -1));
}
