import { describe, expect, it } from 'vitest';
import { hashSpec } from '../../src/hash/registry.ts';
import type { GpuKernels, HashSpec } from '../../src/hash/types.ts';
import { tryOpen } from '../support/gpu.ts';

const spec = hashSpec('sha256');
const { pairs, top, messages, tables } = await spec.gpu!();
/** A plain copy, of which one part is made wrong. */
const kernels: GpuKernels = { pairs, top: top!, messages: messages!, tables: tables! };

const wrong = (part: Partial<GpuKernels>): HashSpec => ({
  ...spec,
  gpu: async () => ({ ...kernels, ...part }),
});

/** Replaces exactly one place; a mutation that no longer finds its place fails the test. */
function mutate(text: string, from: string, to: string): string {
  expect(text.split(from).length, from).toBe(2);
  return text.replace(from, to);
}

function flippedTable(word: number): Uint8Array {
  const copy = new Uint8Array(tables![0]!);
  copy[4 * word]! ^= 1;
  return copy;
}

describe('[gpu] mutations of the pair kernel', () => {
  it('none: the copy is accepted', async () => {
    const opened = await tryOpen(undefined, wrong({}));
    if ('refused' in opened) throw new Error(opened.refused);
    await opened.backend.close();
  });

  const texts: [what: string, from: string, to: string][] = [
    ['a rotation of the round', 'sha256_rotate(s.e, 11u)', 'sha256_rotate(s.e, 12u)'],
    ['a rotation of the schedule', 'sha256_rotate(x, 18u)', 'sha256_rotate(x, 17u)'],
    ['a shift of the schedule', '(x >> 10u)', '(x >> 9u)'],
    [
      'the index of a schedule word',
      'w[0] += sha256_sigma0(w[1]) + w[9]',
      'w[0] += sha256_sigma0(w[1]) + w[10]',
    ],
    ['the words of a round', 's = sha256_round(s, w[7] +', 's = sha256_round(s, w[6] +'],
    ['the choice function', 's.g ^ (s.e & (s.f ^ s.g))', 's.f ^ (s.e & (s.f ^ s.g))'],
    ['the majority function', '((s.a ^ s.b) & (s.b ^ s.c)) ^ s.b', '((s.a ^ s.b) & (s.b ^ s.c)) ^ s.c'],
    ['the initial state', '1779033703u', '1779033702u'],
    ['a skipped addition of the state', 'x.e + y.e', 'y.e'],
    ['the byte order', '((x & 0xff00u) << 8u)', '((x & 0xff00u) << 7u)'],
    ['left and right', 'pairs_nodes[2u * i + 1u]', 'pairs_nodes[2u * i]'],
    ['the second workgroup', '* size + lane', '* 65u + lane'],
  ];
  it.each(texts)('%s', async (_, from, to) => {
    const opened = await tryOpen(undefined, wrong({ pairs: mutate(pairs, from, to) }));
    expect(opened).toMatchObject({ error: { code: 'KERNEL_SELF_TEST' } });
  });

  it.each([0, 17, 63, 64, 100, 127])('one bit of constant %i', async (word) => {
    const opened = await tryOpen(undefined, wrong({ tables: [flippedTable(word)] }));
    expect(opened).toMatchObject({ error: { code: 'KERNEL_SELF_TEST' } });
  });

  it('a text that does not compile', async () => {
    const opened = await tryOpen(undefined, wrong({ pairs: pairs.replace('return', 'retrun') }));
    expect(opened).toMatchObject({ error: { code: 'KERNEL_COMPILE' } });
  });
});

describe('[gpu] mutations of the other kernels', () => {
  it('the fused top falls back on plain dispatches', async () => {
    const opened = await tryOpen(
      undefined,
      wrong({ top: mutate(top!, 'first += width', 'first += width + 1u') }),
    );
    if ('refused' in opened) throw new Error(opened.refused);
    const { backend } = opened;
    const job = { padding: 'none', zeros: [], samples: 0, leafCount: 16, levels: 4 } as const;
    await backend.chunk({ ...job, source: { kind: 'digests', digests: new Uint8Array(32 * 16) } });
    expect(backend.counters.dispatches).toBe(4);
    await backend.close();
  });

  it('messages are refused', async () => {
    const padded = mutate(messages!, 'msg_PAD << bits', 'msg_PAD << (bits ^ 8u)');
    const opened = await tryOpen(undefined, wrong({ messages: padded }));
    if ('refused' in opened) throw new Error(opened.refused);
    const source = { kind: 'messages', messages: new Uint8Array(3), lengths: Uint32Array.of(3) } as const;
    const job = { source, padding: 'none', zeros: [], samples: 0, leafCount: 1, levels: 0 } as const;
    await expect(opened.backend.chunk(job)).rejects.toMatchObject({ code: 'KERNEL_SELF_TEST' });
    await opened.backend.close();
  });
});
