/** Instructions over single numbers: `i32`, `i64`, `f64`, and whole stretches of memory. */
import {
  binary,
  chain,
  type F64,
  type I32,
  type I32Like,
  type I64,
  load,
  node,
  type Statement,
  store,
  toI32,
  unary,
} from './value.ts';

/** `i32` operands may be plain numbers. */
const i32Binary = (op: string) => (a: I32Like, b: I32Like) => node('i32', op, toI32(a), toI32(b));
const i32Chain =
  (op: string) =>
  (first: I32Like, ...rest: readonly I32Like[]): I32 =>
    rest.reduce<I32>((sum, value) => node('i32', op, sum, toI32(value)), toI32(first));

export const i32 = {
  const: (value: number): I32 => toI32(value),
  add: i32Chain('i32.add'),
  mul: i32Chain('i32.mul'),
  and: i32Chain('i32.and'),
  or: i32Chain('i32.or'),
  xor: i32Chain('i32.xor'),
  sub: i32Binary('i32.sub'),
  divU: i32Binary('i32.div_u'),
  shl: i32Binary('i32.shl'),
  shrS: i32Binary('i32.shr_s'),
  shrU: i32Binary('i32.shr_u'),
  rotl: i32Binary('i32.rotl'),
  rotr: i32Binary('i32.rotr'),
  eq: i32Binary('i32.eq'),
  ne: i32Binary('i32.ne'),
  ltU: i32Binary('i32.lt_u'),
  gtU: i32Binary('i32.gt_u'),
  leU: i32Binary('i32.le_u'),
  geU: i32Binary('i32.ge_u'),
  ltS: i32Binary('i32.lt_s'),
  eqz: unary<'i32', 'i32'>('i32.eqz', 'i32'),
  popcnt: unary<'i32', 'i32'>('i32.popcnt', 'i32'),
  wrap: unary<'i64', 'i32'>('i32.wrap_i64', 'i32'),
  /** `a` where the condition holds, else `b`; both are computed. */
  select: (condition: I32, a: I32Like, b: I32Like): I32 =>
    node('i32', 'select', toI32(a), toI32(b), condition),
  load: load('i32.load', 'i32'),
  load8U: load('i32.load8_u', 'i32'),
  store: store<'i32'>('i32.store'),
  store8: store<'i32'>('i32.store8'),
};

export const i64 = {
  const: (value: bigint): I64 => ({ type: 'i64', text: `(i64.const ${BigInt.asIntN(64, value)})` }),
  add: chain('i64.add', 'i64'),
  mul: chain('i64.mul', 'i64'),
  and: chain('i64.and', 'i64'),
  or: chain('i64.or', 'i64'),
  xor: chain('i64.xor', 'i64'),
  sub: binary<'i64', 'i64'>('i64.sub', 'i64'),
  shl: binary<'i64', 'i64'>('i64.shl', 'i64'),
  shrS: binary<'i64', 'i64'>('i64.shr_s', 'i64'),
  shrU: binary<'i64', 'i64'>('i64.shr_u', 'i64'),
  rotl: binary<'i64', 'i64'>('i64.rotl', 'i64'),
  rotr: binary<'i64', 'i64'>('i64.rotr', 'i64'),
  eq: binary<'i64', 'i32'>('i64.eq', 'i32'),
  ltU: binary<'i64', 'i32'>('i64.lt_u', 'i32'),
  geU: binary<'i64', 'i32'>('i64.ge_u', 'i32'),
  ltS: binary<'i64', 'i32'>('i64.lt_s', 'i32'),
  eqz: unary<'i64', 'i32'>('i64.eqz', 'i32'),
  extendU: unary<'i32', 'i64'>('i64.extend_i32_u', 'i64'),
  extendS: unary<'i32', 'i64'>('i64.extend_i32_s', 'i64'),
  fromBits: unary<'f64', 'i64'>('i64.reinterpret_f64', 'i64'),
  truncate: unary<'f64', 'i64'>('i64.trunc_sat_f64_s', 'i64'),
  select: (condition: I32, a: I64, b: I64): I64 => node('i64', 'select', a, b, condition),
  load: load('i64.load', 'i64'),
  load32U: load('i64.load32_u', 'i64'),
  store: store<'i64'>('i64.store'),
  store32: store<'i64'>('i64.store32'),
};

export const f64 = {
  const: (value: number): F64 => ({ type: 'f64', text: `(f64.const ${value})` }),
  add: chain('f64.add', 'f64'),
  mul: chain('f64.mul', 'f64'),
  sub: binary<'f64', 'f64'>('f64.sub', 'f64'),
  neg: unary<'f64', 'f64'>('f64.neg', 'f64'),
  nearest: unary<'f64', 'f64'>('f64.nearest', 'f64'),
  convert: unary<'i64', 'f64'>('f64.convert_i64_s', 'f64'),
  fromBits: unary<'i64', 'f64'>('f64.reinterpret_i64', 'f64'),
  load: load('f64.load', 'f64'),
  store: store<'f64'>('f64.store'),
};

export const memory = {
  copy: (to: I32Like, from: I32Like, bytes: I32Like): Statement => ({
    type: 'none',
    text: `(memory.copy ${toI32(to).text} ${toI32(from).text} ${toI32(bytes).text})`,
  }),
  fill: (to: I32Like, byte: number, bytes: I32Like): Statement => ({
    type: 'none',
    text: `(memory.fill ${toI32(to).text} ${toI32(byte).text} ${toI32(bytes).text})`,
  }),
};

/** Traps. */
export const unreachable: Statement = { type: 'none', text: '(unreachable)' };
