/**
 * Ascending positions of one level.
 */

/** Positions in ascending order, each once. */
export function distinct(positions: ArrayLike<number>): Float64Array {
  const sorted = Float64Array.from(positions).sort();
  let count = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (count === 0 || sorted[i] !== sorted[count - 1]) sorted[count++] = sorted[i]!;
  }
  return sorted.subarray(0, count);
}

/** `first` to `first + count - 1`. */
export function run(first: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => first + i);
}

/** The positions above, and for each position which of them it is a child of. */
export function parentsOf(positions: Float64Array): {
  readonly positions: Float64Array;
  readonly childOf: Int32Array;
} {
  const parents = new Float64Array(positions.length);
  const childOf = new Int32Array(positions.length);
  let count = 0;
  for (let i = 0; i < positions.length; i++) {
    const parent = Math.floor(positions[i]! / 2);
    if (count === 0 || parents[count - 1] !== parent) parents[count++] = parent;
    childOf[i] = count - 1;
  }
  return { positions: parents.subarray(0, count), childOf };
}
