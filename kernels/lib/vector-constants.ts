import type { ModuleBuilder } from './module.ts';
import type { V128 } from './value.ts';
import { v128 } from './vector.ts';

/** Vectors of two equal words as memory operands: written in place, each use would build them anew. */
export class VectorConstants {
  readonly #module: ModuleBuilder;
  readonly #words = new Map<bigint, V128>();

  constructor(module: ModuleBuilder) {
    this.#module = module;
  }

  /** Both lanes hold `word`, taken modulo 2^64. */
  bits(word: bigint): V128 {
    const key = BigInt.asUintN(64, word);
    const known = this.#words.get(key);
    if (known) return known;
    const value = v128.load(this.#module.table(BigUint64Array.of(key, key)));
    this.#words.set(key, value);
    return value;
  }

  /** Both lanes hold `value`. */
  number(value: number): V128 {
    return this.bits(new BigUint64Array(Float64Array.of(value).buffer)[0]!);
  }
}
