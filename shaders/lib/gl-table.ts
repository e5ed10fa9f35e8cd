/** Goldilocks constants as kernels add them: in three parts of weight 2^0, 2^22 and 2^43, one vec3 of 16 bytes each. */

const PARTS = [
  { shift: 0n, bits: 22 },
  { shift: 22n, bits: 21 },
  { shift: 43n, bits: 21 },
] as const;

/** The bytes of a storage table of `vec3<u32>`. */
export function partsTable(elements: readonly bigint[]): Uint8Array {
  const words = elements.flatMap((x) => [
    ...PARTS.map(({ shift, bits }) => Number(BigInt.asUintN(bits, x >> shift))),
    0,
  ]);
  return new Uint8Array(Uint32Array.from(words).buffer);
}
