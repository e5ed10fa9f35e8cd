/** The state of a permutation over the Goldilocks field: elements side by side in memory, and what goes over all of them. */
import type { FunctionBuilder } from '../lib/function.ts';
import type { ModuleBuilder } from '../lib/module.ts';
import { i32 } from '../lib/scalar.ts';
import type { I32, Statement } from '../lib/value.ts';
import type { Place } from '../lib/words.ts';
import { type GoldilocksForm, RANGE, type Ranged } from './goldilocks.ts';

/** Rows of round constants in memory. */
export interface ConstantRows {
  readonly rowBytes: number;
  row(index: number): I32;
}

export class GoldilocksState<E, N extends Ranged> {
  readonly module: ModuleBuilder;
  readonly form: GoldilocksForm<E, N>;
  readonly width: number;
  readonly address: number;

  constructor(module: ModuleBuilder, form: GoldilocksForm<E, N>, width: number) {
    this.module = module;
    this.form = form;
    this.width = width;
    this.address = this.reserve();
  }

  get bytes(): number {
    return this.width * this.form.bytes;
  }

  get lanes(): number[] {
    return Array.from({ length: this.width }, (_, i) => i);
  }

  place(lane: number): Place {
    return { address: i32.const(this.address), offset: lane * this.form.bytes };
  }

  /** Room for as many elements as the state has. */
  reserve(): number {
    return this.module.reserve(this.bytes);
  }

  /** Rows of one constant per lane; what is missing at their ends is 0. */
  constants(rows: readonly (readonly bigint[])[]): ConstantRows {
    const { form, width } = this;
    const all = rows.flatMap((row) => Array.from({ length: width }, (_, i) => row[i] ?? 0n));
    const address = this.module.table(form.constants(all));
    const rowBytes = width * form.constantBytes;
    return { rowBytes, row: (index) => i32.const(address + index * rowBytes) };
  }

  /** The halves of constant `lane` of a row. */
  constant(f: FunctionBuilder, row: I32, lane: number): readonly [N, N] {
    return this.form.constant(f, { address: row, offset: lane * this.form.constantBytes });
  }

  /** Runs the body for each lane, `offset` bytes behind lane 0: short code, and the next lanes overlap with it. */
  forLanes(f: FunctionBuilder, body: (offset: I32) => void): void {
    f.for(0, this.bytes, this.form.bytes, body);
  }

  /** A function that replaces each element by another; results enter linear layers only. */
  map(name: string, change: (f: FunctionBuilder, x: E) => E): () => Statement {
    const { form, address } = this;
    const call = this.module.function(`${name}_x${form.lanes}`, {}, (f) =>
      this.forLanes(f, (offset) => {
        const place = { address: offset, offset: address };
        form.store(f, place, change(f, form.load(f, place)), RANGE.loose);
      }),
    );
    return () => call({});
  }

  /** A function that adds a row of constants. */
  add(name: string): (constants: I32) => Statement {
    return this.layer(name, (_, x) => x);
  }

  /**
   * A function that multiplies the state by a matrix and adds a row of constants. The halves of all elements go through
   * `multiply` one after the other.
   */
  layer(
    name: string,
    multiply: (f: FunctionBuilder, x: readonly N[]) => readonly N[],
  ): (constants: I32) => Statement {
    const { form, lanes } = this;
    const call = this.module.function(`${name}_x${form.lanes}`, { constants: 'i32' }, (f, { constants }) => {
      // Half by half: both at once would not fit into registers.
      const [low, high] = ([0, 1] as const).map((half) =>
        multiply(
          f,
          lanes.map((i) => form.loadHalf(f, this.place(i), half, RANGE.loose)),
        ),
      );
      for (const i of lanes) {
        const [c0, c1] = this.constant(f, constants, i);
        const sums = [
          form.sum(f, [
            [low![i]!, 1],
            [c0, 1],
          ]),
          form.sum(f, [
            [high![i]!, 1],
            [c1, 1],
          ]),
        ] as const;
        form.store(f, this.place(i), form.element(f, sums));
      }
    });
    return (constants) => call({ constants });
  }
}
