/** Sponges over the Goldilocks field: rows of elements, pairs of nodes, and Miden's messages. */
import { ELEMENT_BYTES } from '../../src/field/goldilocks.ts';
import { type GoldilocksForm, RANGE, type Ranged } from '../field/goldilocks.ts';
import { vectorForm } from '../field/goldilocks-f64.ts';
import { scalarForm } from '../field/goldilocks-i64.ts';
import { GoldilocksState } from '../field/goldilocks-state.ts';
import type { FunctionBuilder } from './function.ts';
import { requireFused } from './fused.ts';
import { exportMidenMessages } from './goldilocks-messages.ts';
import type { KernelSource } from './kernel.ts';
import { ModuleBuilder } from './module.ts';
import { exportRows, type RowGroup, type RowPlaces, rowGroup } from './rows.ts';
import { i32, i64, memory } from './scalar.ts';
import type { I32, Statement } from './value.ts';
import { placesAt } from './words.ts';

/** Vectors side by side: one chain waits for itself, and with three registers are short. */
const STREAMS = 2;
/** Elements of a digest. */
const WORD = 4;

/** Makes a function that permutes a state: elements in the loose range, in and out. */
export type Permutation = <E, N extends Ranged>(state: GoldilocksState<E, N>) => () => Statement;

/** How a hash absorbs elements. */
export interface Sponge {
  readonly width: number;
  /** First lane of the rate; the digest is the first four lanes of it. */
  readonly rate: number;
  readonly rateLanes: number;
  /**
   * The lane that says how full the last block is, where there is one: a short block is filled up with zeros. Without
   * it a short block leaves the rest of the rate as it was.
   */
  readonly capacity?: number;
  /** Stands in the lane behind `capacity`, to keep what is hashed apart from what others hash. */
  readonly domain?: number;
  /** Both nodes of a pair are one block, though they are more than the rate. */
  readonly widePairs?: boolean;
  readonly permutation: Permutation;
}

/** The steps of one sponge, over the states of all lanes. */
export class SpongeSteps<E, N extends Ranged> {
  readonly sponge: Sponge;
  readonly state: GoldilocksState<E, N>;
  readonly permute: () => Statement;

  constructor(module: ModuleBuilder, form: GoldilocksForm<E, N>, sponge: Sponge) {
    this.sponge = sponge;
    this.state = new GoldilocksState(module, form, sponge.width);
    this.permute = sponge.permutation(this.state);
  }

  get lanes(): number {
    return this.state.form.lanes;
  }

  /** Address of a lane of the rate. */
  slot(index: number): I32 {
    const { form, address } = this.state;
    return i32.const(address + (this.sponge.rate + index) * form.bytes);
  }

  /** All zeros but the capacity, which gets one number per state. */
  reset(f: FunctionBuilder, numbers: readonly I32[]): void {
    const { module, form, address, bytes } = this.state;
    f.run(memory.fill(address, 0, bytes));
    const { capacity, domain } = this.sponge;
    if (capacity === undefined) return;
    const words = module.reserve(ELEMENT_BYTES * this.lanes);
    const places = numbers.map((_, i) => ({ address: i32.const(words), offset: ELEMENT_BYTES * i }));
    const put = (lane: number, values: readonly I32[]): void => {
      values.forEach((value, i) => {
        f.run(i64.store(words, i64.extendU(value), ELEMENT_BYTES * i));
      });
      form.store(f, this.state.place(lane), form.read(f, places));
    };
    put(capacity, numbers);
    if (domain !== undefined)
      put(
        capacity + 1,
        numbers.map(() => i32.const(domain)),
      );
  }

  /** Overwrites a lane with one element from each place. */
  absorb(f: FunctionBuilder, slot: I32, rows: readonly I32[]): void {
    const { form } = this.state;
    form.store(f, { address: slot, offset: 0 }, form.read(f, placesAt(rows)));
  }

  digest(f: FunctionBuilder, digests: readonly I32[]): void {
    const { form } = this.state;
    for (let i = 0; i < WORD; i++) {
      const places = digests.map((address) => ({ address, offset: ELEMENT_BYTES * i }));
      const place = this.state.place(this.sponge.rate + i);
      form.write(f, form.load(f, place, RANGE.loose), places);
    }
  }
}

/** One row per lane. */
function spongeGroup<E, N extends Ranged>(steps: SpongeSteps<E, N>): RowGroup {
  const { sponge, state } = steps;
  const { bytes } = state.form;
  const body = (f: FunctionBuilder, { rows, digests, elements, pair }: RowPlaces): void => {
    const filled = i32.and(elements, sponge.rateLanes - 1);
    steps.reset(
      f,
      rows.map(() => filled),
    );
    const narrow = steps.slot(sponge.rateLanes);
    const full = sponge.widePairs
      ? f.let(i32.select(pair, i32.const(state.address + state.bytes), narrow), 'full')
      : narrow;
    const slot = f.let(steps.slot(0), 'slot');
    const places = rows.map((row) => f.let(row));
    const left = f.let(elements, 'left');
    f.while(left, () => {
      steps.absorb(f, slot, places);
      for (const place of places) f.set(place, i32.add(place, ELEMENT_BYTES));
      f.set(left, i32.sub(left, 1));
      f.set(slot, i32.add(slot, bytes));
      f.if(i32.eq(slot, full), () => {
        f.run(steps.permute());
        f.set(slot, steps.slot(0));
      });
    });
    f.if(i32.ne(slot, steps.slot(0)), () => {
      if (sponge.capacity !== undefined) f.run(memory.fill(slot, 0, i32.sub(full, slot)));
      f.run(steps.permute());
    });
    steps.digest(f, digests);
  };
  return rowGroup(state.module, steps.lanes, ELEMENT_BYTES, body);
}

function build<E, N extends Ranged>(
  sponge: Sponge,
  form: (module: ModuleBuilder) => GoldilocksForm<E, N>,
): string {
  const module = new ModuleBuilder();
  const steps = new SpongeSteps(module, form(module), sponge);
  exportRows(module, ELEMENT_BYTES, [{ least: 1, group: spongeGroup(steps) }]);
  // Domains are for elements: messages have none.
  if (sponge.capacity !== undefined && sponge.domain === undefined) exportMidenMessages(steps);
  if (steps.lanes > 1) requireFused(module);
  return module.toText();
}

/** All builds of a hash. */
export function spongeKernels(sponge: Sponge): KernelSource {
  return {
    builds: [
      { feature: 'relaxed-simd', text: build(sponge, (module) => vectorForm(module, STREAMS)), passes: [] },
      { feature: 'scalar', text: build(sponge, () => scalarForm), passes: [] },
    ],
  };
}

/** Miden's sponge in one of its layouts, in a domain where one is given. */
export function midenKernels(
  permutation: Permutation,
  layout: 'rate-first' | 'capacity-first',
  domain?: number,
): KernelSource {
  const lanes = layout === 'rate-first' ? { rate: 0, capacity: 8 } : { rate: 4, capacity: 0 };
  const separated = domain === undefined ? {} : { domain };
  return spongeKernels({ width: 12, rateLanes: 8, ...lanes, ...separated, permutation });
}
