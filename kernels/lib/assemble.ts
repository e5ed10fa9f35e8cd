/** Text to bytes, through Binaryen. */
import binaryen from 'binaryen';

/** Binaryen passes, by name. None at all keeps the text as it was written. */
export type Passes = readonly string[];

/**
 * Assembles, validates and, with passes, optimises one module.
 *
 * @throws {Error} when the text does not parse or does not validate.
 */
export function assemble(text: string, passes: Passes = []): Uint8Array<ArrayBuffer> {
  const module = binaryen.parseText(text);
  try {
    const { MVP, SIMD128, RelaxedSIMD, BulkMemory, BulkMemoryOpt, NontrappingFPToInt, MutableGlobals } =
      binaryen.Features;
    module.setFeatures(
      MVP | SIMD128 | RelaxedSIMD | BulkMemory | BulkMemoryOpt | NontrappingFPToInt | MutableGlobals,
    );
    if (!module.validate()) throw new Error('the assembled module is invalid');
    if (passes.length > 0) module.runPasses([...passes]);
    return module.emitBinary().slice();
  } finally {
    module.dispose();
  }
}
