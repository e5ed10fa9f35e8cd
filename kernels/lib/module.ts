/** One WebAssembly module: memory, tables in data segments, scratch space, functions. */
import { FunctionBuilder, type Local } from './function.ts';
import type { Statement, Value, ValueType } from './value.ts';

const PAGE_BYTES = 65536;

/** Parameters by name, in the order of the call. */
export type Parameters = Readonly<Record<string, ValueType>>;
export type Locals<P extends Parameters> = { readonly [K in keyof P]: Local<P[K]> };
type Arguments<P extends Parameters> = { readonly [K in keyof P]: Value<P[K]> };

/** A call: a value where the function returns one, else a statement. */
export type Call<P extends Parameters, R> = (values: Arguments<P>) => R extends Value ? R : Statement;

export class ModuleBuilder {
  readonly #functions: string[] = [];
  readonly #segments: string[] = [];
  #top = 0;
  #start = '';

  /** Keeps `bytes` of memory for scratch and returns their address. */
  reserve(bytes: number, alignment = 16): number {
    const address = Math.ceil(this.#top / alignment) * alignment;
    this.#top = address + bytes;
    return address;
  }

  /** Puts a table into memory and returns its address. */
  table(content: ArrayBufferView): number {
    const bytes = new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
    const address = this.reserve(bytes.length);
    const text = Array.from(bytes, (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
    this.#segments.push(`(data (i32.const ${address}) "${text}")`);
    return address;
  }

  /**
   * Adds a function and returns how to call it. The body returns the function's value, if it has one.
   *
   * @example
   * ```ts
   * const half = module.function('half', { x: 'i32' }, (_, { x }) => i32.shrU(x, 1));
   * ```
   */
  function<P extends Parameters, R>(
    name: string,
    parameters: P,
    body: (f: FunctionBuilder, locals: Locals<P>) => R,
    options: { readonly export?: boolean } = {},
  ): Call<P, R> {
    const f = new FunctionBuilder();
    const names = Object.keys(parameters);
    const locals = Object.fromEntries(
      names.map((key) => [key, { type: parameters[key], name: `$${key}`, text: `(local.get $${key})` }]),
    ) as unknown as Locals<P>;
    const result = body(f, locals) as Value | undefined;
    const signature = names.map((key) => `(param $${key} ${parameters[key]})`).join(' ');
    this.#functions.push(
      [
        `(func $${name} ${options.export ? `(export "${name}")` : ''}`,
        `${signature} ${result ? `(result ${result.type})` : ''}`,
        `${f.toText()} ${result?.text ?? ''})`,
      ].join('\n'),
    );
    return ((values) => ({
      type: result?.type ?? 'none',
      text: `(call $${name} ${names.map((key) => values[key]!.text).join(' ')})`,
    })) as Call<P, R>;
  }

  /** Adds a body that runs when the module is instantiated. */
  start(body: (f: FunctionBuilder) => void): void {
    const f = new FunctionBuilder();
    body(f);
    this.#start = `(start $start)\n(func $start\n${f.toText()})`;
  }

  /** The whole module as text. */
  toText(): string {
    const heap = Math.ceil(this.#top / 64) * 64;
    return [
      '(module',
      `(memory (export "memory") ${Math.ceil((heap + 1) / PAGE_BYTES)})`,
      `(global (export "heap") i32 (i32.const ${heap}))`,
      ...this.#segments,
      ...this.#functions,
      this.#start,
      ')\n',
    ].join('\n');
  }
}
