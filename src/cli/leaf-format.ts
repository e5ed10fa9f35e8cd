/** How a file is cut into leaves; parsing of `--leaves`. */

export type LeafFormat =
  /** Runs of so many bytes, hashed; the last one may be shorter. */
  | { readonly kind: 'blocks'; readonly bytes: number }
  /** Lines without their ends, hashed. */
  | { readonly kind: 'lines' }
  /** Digests, one after the other. */
  | { readonly kind: 'raw32' }
  /** Digests as hexadecimal text, one a line. */
  | { readonly kind: 'hex' };

/** Longest leaf: its length must fit 32 bits, and its bytes memory. */
export const MAX_LEAF_BYTES: number = 2 ** 30;

/** The format that `text` names; undefined when there is none. */
export function parseLeafFormat(text: string): LeafFormat | undefined {
  if (text === 'lines' || text === 'raw32' || text === 'hex') return { kind: text };
  const blocks = /^blocks:([1-9][0-9]{0,9})$/.exec(text);
  const bytes = Number(blocks?.[1]);
  return blocks && bytes <= MAX_LEAF_BYTES ? { kind: 'blocks', bytes } : undefined;
}
