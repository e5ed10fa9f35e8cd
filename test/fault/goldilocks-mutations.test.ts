import { describe, expect, it } from 'vitest';
import { referenceEngine } from '../../src/backend/cpu/engine.ts';
import { openGpuBackend } from '../../src/backend/gpu/index.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import type { GpuKernels, HashSpec } from '../../src/hash/types.ts';

const spec = hashSpec('poseidon2-plonky3-8');

/** Opens the hash with kernels that `change` has been at. */
async function open(change: (kernels: GpuKernels) => GpuKernels): ReturnType<typeof openGpuBackend> {
  const changed: HashSpec = { ...spec, gpu: async () => change(await spec.gpu!()) };
  return await openGpuBackend(changed, { engine: referenceEngine(await spec.load(), spec.input) });
}

/** What one slip of the pen would make of the pairs kernel. */
const SLIPS: readonly (readonly [name: string, from: string, to: string])[] = [
  ['a bias of another size', 'const gl_BIAS = 0x4000000u;', 'const gl_BIAS = 0x2000000u;'],
  ['a mask of limb 4 without its spare bit', '0x7ffu, 0xfffu, 0x3ffu', '0x7ffu, 0x7ffu, 0x3ffu'],
  ['a carry by one bit less', 'let top = gl_carry(r5, 10u);', 'let top = gl_carry(r5, 9u);'],
  ['a product of other limbs', 'c.y * d.z + (c.z * d.y', 'c.y * d.z + (c.z * d.x'],
  ['a column folded with the wrong sign', 'gl_BIAS_ABOVE) - t9 - top', 'gl_BIAS_ABOVE) - t9 + top'],
  ['a carry of parts that is lost', '+ (top << 10u)', '+ (top << 9u)'],
  ['a halving that forgets what falls out', '+ (out << (10u - k))', ''],
  ['a round less', 'round >= 26u', 'round >= 25u'],
];

describe('[gpu] a slip in the kernels over Goldilocks', () => {
  it.each(SLIPS)('%s is refused by the self-test', async (_, from, to) => {
    const opened = await open((kernels) => {
      expect(kernels.pairs).toContain(from);
      return { ...kernels, pairs: kernels.pairs.replace(from, to) };
    });
    expect('refused' in opened && opened.error.code).toBe('KERNEL_SELF_TEST');
  });

  it('a check that lets p pass is refused by the self-test', async () => {
    const opened = await open((kernels) => ({
      ...kernels,
      check: kernels.check!.replace('words[1] != 0xffffffffu ||', 'words[1] <= 0xffffffffu ||'),
    }));
    expect('refused' in opened && opened.error.code).toBe('KERNEL_SELF_TEST');
  });

  it('another constant is refused by the self-test', async () => {
    const opened = await open((kernels) => {
      const table = new Uint8Array(kernels.tables![0]!);
      table[16 * 8 * 12]! ^= 1;
      return { ...kernels, tables: [table] };
    });
    expect('refused' in opened && opened.error.code).toBe('KERNEL_SELF_TEST');
  });
});
