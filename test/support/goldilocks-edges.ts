/** Canonical elements at the edges of carries and words. */
export const EDGES: readonly bigint[] = [
  0n,
  1n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 32n + 1n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 63n + 2n ** 31n,
  2n ** 64n - 2n ** 33n,
  2n ** 64n - 2n ** 32n - 1n,
  2n ** 64n - 2n ** 32n,
];
