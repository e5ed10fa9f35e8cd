/** Runs the BN254 field of the CPU kernels by itself: on canonical bytes, and on limbs that lie in memory as they are. */
import { vectorForm } from '../../kernels/field/bn254-f64.ts';
import { scalarForm } from '../../kernels/field/bn254-i64.ts';
import type { Element, FieldForm } from '../../kernels/field/form.ts';
import type { FunctionBuilder } from '../../kernels/lib/function.ts';
import { ModuleBuilder } from '../../kernels/lib/module.ts';
import { i32 } from '../../kernels/lib/scalar.ts';
import type { I32 } from '../../kernels/lib/value.ts';
import { placesAt } from '../../kernels/lib/words.ts';
import { fr } from '../../src/field/bn254.ts';
import { compile } from './kernels.ts';

const ELEMENT_BYTES = 32;

/** One way to hold elements, and how its limbs lie in memory. */
export interface Limbs {
  readonly open: (module: ModuleBuilder) => FieldForm;
  readonly bits: number;
  readonly count: number;
  /** R of the Montgomery form. */
  readonly radix: bigint;
  /** Limbs but the last are digits in [least, most]. */
  readonly least: bigint;
  readonly most: bigint;
  /** Puts limb k of one lane of an element, or of a constant without a lane. */
  put(view: DataView, at: number, k: number, limb: bigint, lane?: number): void;
}

const f64 = (streams: number): Limbs => ({
  open: (module) => vectorForm(module, streams),
  bits: 51,
  count: 5,
  radix: 2n ** 255n,
  least: -(2n ** 50n),
  most: 2n ** 50n,
  put(view, at, k, limb, lane) {
    const offset = lane === undefined ? 8 * k : 80 * (lane >> 1) + 16 * k + 8 * (lane % 2);
    view.setFloat64(at + offset, Number(limb), true);
  },
});

/** All forms by name. */
export const FORMS: Readonly<Record<string, Limbs>> = {
  'f64, one vector': f64(1),
  'f64, two vectors': f64(2),
  i64: {
    open: scalarForm,
    bits: 29,
    count: 9,
    radix: 2n ** 261n,
    least: 0n,
    most: 2n ** 29n - 1n,
    put: (view, at, k, limb) => view.setUint32(at + 4 * k, Number(limb), true),
  },
};

/** What limbs stand for. */
export const limbsValue = (limbs: readonly bigint[], { bits }: Limbs): bigint =>
  limbs.reduceRight((sum, limb) => (sum << BigInt(bits)) + limb, 0n);

/**
 * The elements of greatest absolute value up to `bound` moduli whose other limbs are at their ends, all alike and in
 * turns; both signs where limbs have one.
 */
export function greatest(form: Limbs, bound: number): bigint[][] {
  const { least, most, bits, count } = form;
  const limit = (BigInt(Math.floor(bound * 2 ** 20)) * fr.modulus) >> 20n;
  const unit = 2n ** BigInt(bits * (count - 1));
  const patterns = [
    [most, most],
    [least, least],
    [most, least],
    [least, most],
  ] as const;
  const signs = least < 0n ? [1n, -1n] : [1n];
  return patterns.flatMap((pattern) =>
    signs.map((sign) => {
      const low = Array.from({ length: count - 1 }, (_, k) => pattern[k % 2]!);
      return [...low, (sign * limit - limbsValue(low, form)) / unit];
    }),
  );
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly heap: WebAssembly.Global;
  run(input: number, output: number): void;
}

function instantiate(module: ModuleBuilder): { run: Exports['run']; heap: number; view: DataView } {
  const { memory, heap, run } = new WebAssembly.Instance(compile(module.toText()))
    .exports as unknown as Exports;
  memory.grow(1);
  return { run, heap: heap.value as number, view: new DataView(memory.buffer) };
}

const writeElement = (view: DataView, at: number, value: bigint): void => {
  for (let i = 0; i < 4; i++)
    view.setBigUint64(at + 8 * i, BigInt.asUintN(64, value >> BigInt(192 - 64 * i)));
};
const readElement = (view: DataView, at: number): bigint =>
  [0, 8, 16, 24].reduce((value, offset) => (value << 64n) | view.getBigUint64(at + offset), 0n);

/** A program over elements: what it gets, where it may write. It returns what it made. */
export type Program = (
  f: FunctionBuilder,
  form: FieldForm,
  places: {
    readonly x: readonly Element[];
    readonly to: readonly I32[];
    readonly constants: readonly I32[];
    /** Room for one. */
    readonly factor: I32;
  },
) => readonly Element[];

const SLOTS = 8;

/** The program on rows of canonical elements. */
export function onBytes(
  { open }: Limbs,
  inputs: number,
  program: Program,
): (rows: readonly (readonly bigint[])[]) => bigint[][] {
  const module = new ModuleBuilder();
  const form = open(module);
  const slots = (count: number): I32[] =>
    Array.from({ length: count }, () => i32.const(module.reserve(form.bytes)));
  const [x, to] = [slots(inputs), slots(SLOTS)];
  const factor = i32.const(module.reserve(form.factorBytes));
  let outputs = 0;
  const bytesOf = (base: I32, i: number, width: number) =>
    placesAt(
      Array.from({ length: form.lanes }, (_, lane) => i32.add(base, ELEMENT_BYTES * (lane * width + i))),
    );
  module.function(
    'run',
    { input: 'i32', output: 'i32' },
    (f, { input, output }) => {
      const read = x.map((at, i) => form.read(f, at, bytesOf(input, i, inputs)));
      const made = program(f, form, { x: read, to, constants: [], factor });
      outputs = made.length;
      made.forEach((element, i) => {
        form.write(f, element, bytesOf(output, i, outputs));
      });
    },
    { export: true },
  );
  const { run, heap, view } = instantiate(module);
  const output = heap + ELEMENT_BYTES * form.lanes * inputs;
  return (rows) => {
    const results: bigint[][] = [];
    for (let first = 0; first < rows.length; first += form.lanes) {
      const group = rows.slice(first, first + form.lanes);
      group.flat().forEach((value, i) => {
        writeElement(view, heap + ELEMENT_BYTES * i, value);
      });
      run(heap, output);
      group.forEach((_, lane) => {
        const at = output + ELEMENT_BYTES * outputs * lane;
        results.push(Array.from({ length: outputs }, (_, i) => readElement(view, at + ELEMENT_BYTES * i)));
      });
    }
    return results;
  };
}

/**
 * The program on limbs, the same in all lanes; results are canonical, and out of Montgomery form.
 *
 * @param bounds of the inputs, in moduli.
 */
export function onLimbs(
  limbs: Limbs,
  { bounds, constants }: { readonly bounds: readonly number[]; readonly constants: number },
  program: Program,
): (x: readonly (readonly bigint[])[], c?: readonly (readonly bigint[])[]) => bigint[] {
  const module = new ModuleBuilder();
  const form = limbs.open(module);
  const reserve = (count: number, bytes: number): number[] => {
    const first = module.reserve(count * bytes);
    return Array.from({ length: count }, (_, i) => first + i * bytes);
  };
  const [x, c, to] = [
    reserve(bounds.length, form.bytes),
    reserve(constants, form.constantBytes),
    reserve(SLOTS, form.bytes),
  ];
  const factor = i32.const(module.reserve(form.factorBytes));
  const places = (list: readonly number[]): I32[] => list.map((at) => i32.const(at));
  let outputs = 0;
  module.function(
    'run',
    { input: 'i32', output: 'i32' },
    (f, { output }) => {
      const elements = places(x).map((at, i) => ({ at, bound: bounds[i]! }));
      const made = program(f, form, { x: elements, to: places(to), constants: places(c), factor });
      outputs = made.length;
      made.forEach((element, i) => {
        const digests = Array.from({ length: form.lanes }, (_, lane) =>
          i32.add(output, ELEMENT_BYTES * (lane * outputs + i)),
        );
        form.write(f, element, placesAt(digests));
      });
    },
    { export: true },
  );
  const { run, heap, view } = instantiate(module);
  return (elements, factors = []) => {
    elements.forEach((element, i) => {
      element.forEach((limb, k) => {
        for (let lane = 0; lane < form.lanes; lane++) limbs.put(view, x[i]!, k, limb, lane);
      });
    });
    factors.forEach((factor, i) => {
      factor.forEach((limb, k) => {
        limbs.put(view, c[i]!, k, limb);
      });
    });
    run(0, heap);
    const all = Array.from({ length: outputs * form.lanes }, (_, i) =>
      readElement(view, heap + ELEMENT_BYTES * i),
    );
    const [first, ...others] = Array.from({ length: form.lanes }, (_, lane) =>
      all.slice(lane * outputs, (lane + 1) * outputs),
    );
    if (others.some((lane) => lane.some((value, i) => value !== first![i]))) {
      throw new Error('lanes with equal elements disagree');
    }
    return first!;
  };
}
