/** The builds of hashes over BN254: lanes of f64 with fused multiply-adds, and 64-bit integers. */
import { requireFused } from '../lib/fused.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { ModuleBuilder } from '../lib/module.ts';
import { exportRows, type RowGroup } from '../lib/rows.ts';
import { i32 } from '../lib/scalar.ts';
import type { I32 } from '../lib/value.ts';
import { vectorForm } from './bn254-f64.ts';
import { scalarForm } from './bn254-i64.ts';
import { type Constants, exportLoad, reserveConstants } from './constants.ts';
import type { FieldForm } from './form.ts';

const ELEMENT_BYTES = 32;
/** Vectors side by side: with one, latency shows; with three or four, registers are short. */
const STREAMS = 2;

/** What a hash over elements is made of, in one form. */
export type HashInForm = (
  module: ModuleBuilder,
  constants: Constants,
  /** How many constants were loaded. */
  loaded: I32,
) => RowGroup;

function build(
  hash: HashInForm,
  { most, factors = 0 }: HashConstants,
  forms: readonly ((module: ModuleBuilder) => FieldForm)[],
): string {
  const module = new ModuleBuilder();
  const count = module.reserve(4);
  const stages = forms.map((open) => {
    const constants = reserveConstants(module, open(module), most, factors);
    const group = hash(module, constants, i32.load(count));
    // Half-empty lanes still win against one hash after the other.
    return { constants, least: Math.max(1, group.lanes / 2), group };
  });
  exportLoad(
    module,
    stages.map(({ constants }) => constants),
    count,
  );
  exportRows(module, ELEMENT_BYTES, stages);
  if (forms.length > 1) requireFused(module);
  return module.toText();
}

/** The constants that a hash loads. */
export interface HashConstants {
  /** How many there are at most. */
  readonly most: number;
  /** How many of the first are factors, too. */
  readonly factors?: number;
}

/** The builds of one hash. */
export function bn254Builds(hash: HashInForm, constants: HashConstants): KernelSource['builds'] {
  const vector = (module: ModuleBuilder): FieldForm => vectorForm(module, STREAMS);
  return [
    { feature: 'relaxed-simd', text: build(hash, constants, [vector, scalarForm]), passes: [] },
    { feature: 'scalar', text: build(hash, constants, [scalarForm]), passes: [] },
  ];
}
