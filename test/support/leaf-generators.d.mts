/** Leaves out of nothing: leaf i holds i in its first bytes. */
export function counting(from: number, to: number): Generator<Uint8Array>;
/** The same with a pause before each piece. */
export function slow(from: number, to: number): AsyncGenerator<Uint8Array>;
