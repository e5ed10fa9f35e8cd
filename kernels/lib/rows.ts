/** The exported `rows` and `pairs` of hashes over field elements: a pair is a row of as many elements as two digests hold. */
import type { FunctionBuilder } from './function.ts';
import type { ModuleBuilder } from './module.ts';
import { i32 } from './scalar.ts';
import type { I32, Statement } from './value.ts';

const DIGEST_BYTES = 32;

const PARAMETERS = { input: 'i32', elements: 'i32', output: 'i32', count: 'i32', pair: 'i32' } as const;
type Arguments = { readonly [K in keyof typeof PARAMETERS]: I32 };

/** What a group hashes: `elements` elements from each address of `rows`, to the address at the same place of `digests`. */
export interface RowPlaces {
  readonly rows: readonly I32[];
  readonly digests: readonly I32[];
  readonly elements: I32;
  /** 1 where the rows are pairs of nodes, else 0. */
  readonly pair: I32;
}

/** Rows that are hashed together. */
export interface RowGroup {
  readonly lanes: number;
  run(values: Arguments): Statement;
}

/**
 * Hashes at most one row per lane. Lanes beyond `count` repeat the last row and write its digest again, so the body
 * must read all rows before it writes a digest.
 */
export function rowGroup(
  module: ModuleBuilder,
  lanes: number,
  elementBytes: number,
  body: (f: FunctionBuilder, places: RowPlaces) => void,
): RowGroup {
  const run = module.function(`rows_x${lanes}`, PARAMETERS, (f, values) => {
    const { input, output, elements, count, pair } = values;
    const rowBytes = f.let(i32.mul(elements, elementBytes), 'rowBytes');
    const last = f.let(i32.sub(count, 1), 'last');
    const places = Array.from({ length: lanes }, (_, i) => f.let(i32.select(i32.ltU(i, last), i, last)));
    const at = (base: I32, stride: I32): I32[] =>
      places.map((place) => f.let(i32.add(base, i32.mul(place, stride))));
    body(f, { rows: at(input, rowBytes), digests: at(output, i32.const(DIGEST_BYTES)), elements, pair });
  });
  return { lanes, run };
}

/** A group, and how few rows are worth starting it for. */
export interface RowStage {
  readonly least: number;
  readonly group: RowGroup;
}

/** Exports `rows` and `pairs`: each stage runs while it has enough rows, the last one with `least: 1`. */
export function exportRows(module: ModuleBuilder, elementBytes: number, stages: readonly RowStage[]): void {
  const layer = module.function('layer', PARAMETERS, (f, values) => {
    const { input, elements, output, count, pair } = values;
    for (const { least, group } of stages) {
      f.while(i32.geU(count, least), () => {
        const taken = f.let(i32.select(i32.ltU(count, group.lanes), count, group.lanes), 'taken');
        f.run(group.run({ input, elements, output, count: taken, pair }));
        f.set(input, i32.add(input, i32.mul(taken, elements, elementBytes)));
        f.set(output, i32.add(output, i32.mul(taken, DIGEST_BYTES)));
        f.set(count, i32.sub(count, taken));
      });
    }
  });
  const pairs = { input: 'i32', output: 'i32', count: 'i32' } as const;
  const inPair = i32.const((2 * DIGEST_BYTES) / elementBytes);
  module.function(
    'pairs',
    pairs,
    (f, { input, output, count }) =>
      f.run(layer({ input, elements: inPair, output, count, pair: i32.const(1) })),
    { export: true },
  );
  const rows = { input: 'i32', elements: 'i32', output: 'i32', count: 'i32' } as const;
  module.function('rows', rows, (f, values) => f.run(layer({ ...values, pair: i32.const(0) })), {
    export: true,
  });
}
