/**
 * Typed expressions of WebAssembly's text format. A value is only text and a type: using one twice computes it twice,
 * so whatever is needed again goes into a local (`FunctionBuilder.let`).
 */

export type ValueType = 'i32' | 'i64' | 'f64' | 'v128';

/** An expression that leaves one value of type `T`. */
export interface Value<T extends ValueType = ValueType> {
  readonly type: T;
  readonly text: string;
}

/** An instruction that leaves nothing. */
export interface Statement {
  readonly type: 'none';
  readonly text: string;
}

export type I32 = Value<'i32'>;
export type I64 = Value<'i64'>;
export type F64 = Value<'f64'>;
export type V128 = Value<'v128'>;

/** Addresses, counters and shift distances may be plain numbers. */
export type I32Like = I32 | number;

export function toI32(value: I32Like): I32 {
  return typeof value === 'number' ? { type: 'i32', text: `(i32.const ${value | 0})` } : value;
}

/** One instruction and its operands, folded. */
export function node<T extends ValueType>(type: T, op: string, ...operands: readonly Value[]): Value<T> {
  return { type, text: `(${op} ${operands.map((operand) => operand.text).join(' ')})` };
}

export type Unary<A extends ValueType, R extends ValueType> = (a: Value<A>) => Value<R>;
export type Binary<A extends ValueType, R extends ValueType> = (a: Value<A>, b: Value<A>) => Value<R>;
/** Associative operations take any number of operands and fold them from the left. */
export type Chain<A extends ValueType> = (first: Value<A>, ...rest: readonly Value<A>[]) => Value<A>;

export function unary<A extends ValueType, R extends ValueType>(op: string, result: R): Unary<A, R> {
  return (a) => node(result, op, a);
}

export function binary<A extends ValueType, R extends ValueType>(op: string, result: R): Binary<A, R> {
  return (a, b) => node(result, op, a, b);
}

export function chain<T extends ValueType>(op: string, type: T): Chain<T> {
  return (first, ...rest) => rest.reduce((sum, value) => node(type, op, sum, value), first);
}

/** Reads `offset` bytes behind `address`; any alignment. */
export type Load<T extends ValueType> = (address: I32Like, offset?: number) => Value<T>;
/** Writes `offset` bytes behind `address`; any alignment. */
export type Store<T extends ValueType> = (address: I32Like, value: Value<T>, offset?: number) => Statement;

export function load<T extends ValueType>(op: string, type: T): Load<T> {
  return (address, offset = 0) => node(type, `${op} offset=${offset} align=1`, toI32(address));
}

export function store<T extends ValueType>(op: string): Store<T> {
  return (address, value, offset = 0) => ({
    type: 'none',
    text: `(${op} offset=${offset} align=1 ${toI32(address).text} ${value.text})`,
  });
}
