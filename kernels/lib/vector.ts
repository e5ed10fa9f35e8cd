/** Instructions over 128-bit vectors. `relaxed*` need the `relaxed-simd` build. */
import {
  binary,
  chain,
  type F64,
  type I32,
  type I32Like,
  type I64,
  load,
  node,
  store,
  toI32,
  unary,
  type V128,
} from './value.ts';

type Shift = (value: V128, distance: I32Like) => V128;
type Ternary = (a: V128, b: V128, c: V128) => V128;

const vChain = (op: string) => chain(op, 'v128');
const vBinary = (op: string) => binary<'v128', 'v128'>(op, 'v128');
const vUnary = (op: string) => unary<'v128', 'v128'>(op, 'v128');
const shift =
  (op: string): Shift =>
  (value, distance) =>
    node('v128', op, value, toI32(distance));
const ternary =
  (op: string): Ternary =>
  (a, b, c) =>
    node('v128', op, a, b, c);

const lanes = (shape: string, values: readonly (number | bigint)[]): V128 => ({
  type: 'v128',
  text: `(v128.const ${shape} ${values.join(' ')})`,
});

export const v128 = {
  and: vChain('v128.and'),
  or: vChain('v128.or'),
  xor: vChain('v128.xor'),
  /** `a & ~b`. */
  andnot: vBinary('v128.andnot'),
  not: vUnary('v128.not'),
  /** Bits of `a` where `mask` has ones, of `b` elsewhere. */
  bitselect: (a: V128, b: V128, mask: V128): V128 => node('v128', 'v128.bitselect', a, b, mask),
  anyTrue: unary<'v128', 'i32'>('v128.any_true', 'i32'),
  load: load('v128.load', 'v128'),
  /** One 32-bit word in all four lanes. */
  load32Splat: load('v128.load32_splat', 'v128'),
  /** One 64-bit word in both lanes. */
  load64Splat: load('v128.load64_splat', 'v128'),
  store: store<'v128'>('v128.store'),
};

export const i8x16 = {
  const: (bytes: readonly number[]): V128 => lanes('i8x16', bytes),
  /** Byte i of the result is byte `picks[i]` of `a` followed by `b`. */
  shuffle: (a: V128, b: V128, picks: readonly number[]): V128 =>
    node('v128', `i8x16.shuffle ${picks.join(' ')}`, a, b),
  /** Byte i of the result is byte `mask[i]` of `a`. With the mask in a local this is one instruction. */
  swizzle: vBinary('i8x16.swizzle'),
  relaxedSwizzle: vBinary('i8x16.relaxed_swizzle'),
};

export const i32x4 = {
  const: (words: readonly number[]): V128 =>
    lanes(
      'i32x4',
      words.map((word) => word | 0),
    ),
  splat: (word: I32Like): V128 => node('v128', 'i32x4.splat', toI32(word)),
  extractLane: (vector: V128, lane: number): I32 => node('i32', `i32x4.extract_lane ${lane}`, vector),
  replaceLane: (vector: V128, lane: number, word: I32): V128 =>
    node('v128', `i32x4.replace_lane ${lane}`, vector, word),
  add: vChain('i32x4.add'),
  sub: vBinary('i32x4.sub'),
  mul: vChain('i32x4.mul'),
  shl: shift('i32x4.shl'),
  shrU: shift('i32x4.shr_u'),
  shrS: shift('i32x4.shr_s'),
};

export const i64x2 = {
  const: (words: readonly bigint[]): V128 =>
    lanes(
      'i64x2',
      words.map((word) => BigInt.asIntN(64, word)),
    ),
  splat: (word: I64): V128 => node('v128', 'i64x2.splat', word),
  extractLane: (vector: V128, lane: number): I64 => node('i64', `i64x2.extract_lane ${lane}`, vector),
  replaceLane: (vector: V128, lane: number, word: I64): V128 =>
    node('v128', `i64x2.replace_lane ${lane}`, vector, word),
  add: vChain('i64x2.add'),
  sub: vBinary('i64x2.sub'),
  mul: vChain('i64x2.mul'),
  shl: shift('i64x2.shl'),
  shrU: shift('i64x2.shr_u'),
  shrS: shift('i64x2.shr_s'),
};

export const f64x2 = {
  const: (values: readonly number[]): V128 => lanes('f64x2', values),
  splat: (value: F64): V128 => node('v128', 'f64x2.splat', value),
  extractLane: (vector: V128, lane: number): F64 => node('f64', `f64x2.extract_lane ${lane}`, vector),
  add: vChain('f64x2.add'),
  sub: vBinary('f64x2.sub'),
  mul: vChain('f64x2.mul'),
  neg: vUnary('f64x2.neg'),
  nearest: vUnary('f64x2.nearest'),
  /** `a * b + c`, rounded once where the machine fuses it. */
  relaxedMadd: ternary('f64x2.relaxed_madd'),
  /** `c - a * b`, rounded once where the machine fuses it. */
  relaxedNmadd: ternary('f64x2.relaxed_nmadd'),
};
