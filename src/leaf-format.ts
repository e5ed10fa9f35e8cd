/** How a file is cut into leaves, and the names of the ways. */

/**
 * How bytes become leaves.
 *
 * - `blocks`: runs of so many bytes, hashed; the last one may be shorter
 * - `lines`: lines without their ends (`\n` or `\r\n`), hashed
 * - `raw32`: digests, one after the other
 * - `hex`: digests as hexadecimal text, one a line, with or without `0x`
 */
export type LeafFormat =
  | { readonly kind: 'blocks'; readonly bytes: number }
  | { readonly kind: 'lines' }
  | { readonly kind: 'raw32' }
  | { readonly kind: 'hex' };

/** Longest leaf in bytes: its length must fit 32 bits, and its bytes memory. */
export const MAX_LEAF_BYTES: number = 2 ** 30;

/**
 * The format that a text names: `blocks:BYTES` with 1 to 2^30 bytes, `lines`, `raw32` or `hex`.
 *
 * @returns undefined for any other text.
 * @example
 * ```ts
 * parseLeafFormat('blocks:1024'); // { kind: 'blocks', bytes: 1024 }
 * ```
 */
export function parseLeafFormat(text: string): LeafFormat | undefined {
  if (text === 'lines' || text === 'raw32' || text === 'hex') return { kind: text };
  const blocks = /^blocks:([1-9][0-9]{0,9})$/.exec(text);
  const bytes = Number(blocks?.[1]);
  return blocks && bytes <= MAX_LEAF_BYTES ? { kind: 'blocks', bytes } : undefined;
}
