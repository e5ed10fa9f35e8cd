/** What the kernels of a hash ask of a field: functions over elements in memory, the same for every way to hold them. */
import type { FunctionBuilder } from '../lib/function.ts';
import type { I32 } from '../lib/value.ts';
import type { Place } from '../lib/words.ts';

/** An element of each lane, in memory. Zeros are 0. */
export interface Element {
  readonly at: I32;
  /**
   * The greatest absolute value that it can have, in moduli. Every operation says what it makes of the bounds of its
   * operands, and throws where digits or sums could overflow: while the module is generated, not while it runs.
   */
  readonly bound: number;
}

/** An element, the constant by which it is multiplied, and the bound of that constant, where it is less than that of others. */
export type Product = readonly [x: Element, by: I32, bound?: number];

export interface Addends {
  readonly element?: Element;
  readonly constant?: I32;
}

/** `lanes` elements side by side. All functions read their operands before they write: the result may lie on them. */
export interface FieldForm {
  readonly lanes: number;
  /** Bytes of an element, all lanes together. */
  readonly bytes: number;
  /** Bytes of a constant, which is the same in all lanes. */
  readonly constantBytes: number;
  /** Bytes of a factor: a constant as `scale` reads it. */
  readonly factorBytes: number;
  /** Bound of a constant that was read from canonical bytes. */
  readonly constantBound: number;
  /** Nothing greater fits into an element. */
  readonly elementBound: number;
  /** Bound of elements of which this form can take the fifth power. */
  readonly powerBound: number;
  mul(f: FunctionBuilder, to: I32, a: Element, b: Element): Element;
  square(f: FunctionBuilder, to: I32, a: Element): Element;
  /**
   * The sum of up to five products by constants, reduced once, plus addends; it loses a multiple of the modulus more
   * where the fifth power would not take it otherwise.
   */
  dot(f: FunctionBuilder, to: I32, products: readonly Product[], addends?: Addends): Element;
  /** An element times a factor, plus addends, as the fifth power takes it: faster than `dot` of the one product, or as fast. */
  scale(f: FunctionBuilder, to: I32, x: Element, factor: I32, addends?: Addends): Element;
  /** A function for `y = matrix * x + constants`, both in rows of memory; small coefficients. */
  linear(name: string, matrix: readonly (readonly bigint[])[], bound: number): LinearLayer;
  /** The canonical element in 32 big-endian bytes per lane, plus addends. */
  read(f: FunctionBuilder, to: I32, places: readonly Place[], addends?: Addends): Element;
  /** The 32 big-endian bytes of the canonical element of each lane. */
  write(f: FunctionBuilder, a: Element, places: readonly Place[]): void;
  /** Keeps lane 0 of an element as a constant. */
  keep(f: FunctionBuilder, to: I32, a: Element): void;
  /** Makes a factor of a constant. */
  keepFactor(f: FunctionBuilder, to: I32, constant: I32): void;
  /** A constant in all lanes. */
  spread(f: FunctionBuilder, to: I32, constant: I32): Element;
}

/** `to`, `x` and `constants` point at the first of the elements. */
export interface LinearLayer {
  /** Bound of each result. */
  readonly bound: number;
  run(f: FunctionBuilder, to: I32, x: I32, constants: I32): void;
}

/** @throws {RangeError} when an element could be greater than `most` moduli. */
export function assertBound({ bound }: Pick<Element, 'bound'>, most: number): void {
  if (bound > most) throw new RangeError(`element: expected at most ${most} moduli, got ${bound}`);
}
