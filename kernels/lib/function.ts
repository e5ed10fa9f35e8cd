/** The body of one WebAssembly function: locals, statements, loops. */

import { i32 } from './scalar.ts';
import { type I32, type I32Like, type Statement, toI32, type Value, type ValueType } from './value.ts';

/** A local variable. As a value it reads itself. */
export interface Local<T extends ValueType = ValueType> extends Value<T> {
  readonly name: string;
}

export class FunctionBuilder {
  readonly #declarations: string[] = [];
  readonly #first: string[] = [];
  readonly #lines: string[] = [];
  #labels = 0;

  /** A new local variable, zero at first. `name` is only for readers of the text. */
  local<T extends ValueType>(type: T, name = 'v'): Local<T> {
    const unique = `$${name}_${this.#declarations.length}`;
    this.#declarations.push(`(local ${unique} ${type})`);
    return { type, name: unique, text: `(local.get ${unique})` };
  }

  /** Computes `value` once, into a new local. */
  let<T extends ValueType>(value: Value<T>, name?: string): Local<T> {
    const local = this.local(value.type, name);
    this.set(local, value);
    return local;
  }

  /** Computes `value`, a constant, before everything else in the function. */
  first<T extends ValueType>(value: Value<T>, name?: string): Local<T> {
    const local = this.local(value.type, name);
    this.#first.push(`(local.set ${local.name} ${value.text})`);
    return local;
  }

  set<T extends ValueType>(local: Local<T>, value: Value<T>): void {
    this.#lines.push(`(local.set ${local.name} ${value.text})`);
  }

  /** Appends statements: stores, calls without a result. */
  run(...statements: readonly Statement[]): void {
    for (const statement of statements) this.#lines.push(statement.text);
  }

  if(condition: I32, then: () => void, otherwise?: () => void): void {
    this.#lines.push(`(if ${condition.text} (then`);
    then();
    if (otherwise) {
      this.#lines.push(') (else');
      otherwise();
    }
    this.#lines.push('))');
  }

  /** Repeats the body while the condition that it returns holds: at least once. */
  doWhile(body: () => I32): void {
    const label = `$loop_${this.#labels++}`;
    this.#lines.push(`(loop ${label}`);
    const again = body();
    this.#lines.push(`(br_if ${label} ${again.text}))`);
  }

  while(condition: I32, body: () => void): void {
    this.if(condition, () =>
      this.doWhile(() => {
        body();
        return condition;
      }),
    );
  }

  /** Runs the body with a counter from `from` up to below `to`, in steps of `step`: at least once. */
  for(from: number, to: I32Like, step: number, body: (counter: I32) => void): void {
    const counter = this.let(toI32(from), 'i');
    this.doWhile(() => {
      body(counter);
      this.set(counter, i32.add(counter, step));
      return i32.ltU(counter, to);
    });
  }

  /** Declarations and body, for `ModuleBuilder`. */
  toText(): string {
    return [...this.#declarations, ...this.#first, ...this.#lines].join('\n');
  }
}
