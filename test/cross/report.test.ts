/** Reports of real backends. */
import { describe, expect, it } from 'vitest';
import { measureReport } from '../../src/report/measure.ts';
import { parseReport } from '../../src/report/parse.ts';
import type { ReportPoint } from '../../src/report/types.ts';

describe('[gpu] a report', () => {
  it('has every lane at the smallest size, phases apart, whatever the budget', async () => {
    const report = await measureReport({
      hashes: ['blake3'],
      sizes: [512],
      budgetSeconds: 0.5,
      trees: false,
    });
    expect(parseReport(JSON.stringify(report))).toEqual(report);
    const [blake3] = report.hashes;
    expect(report.adapter?.timestamps).toBe(true);
    expect(blake3!.compile.map(({ kernel }) => kernel)).toEqual(expect.arrayContaining(['pairs', 'top']));
    for (const work of ['layer', 'tree'] satisfies ReportPoint['work'][]) {
      const lanes = blake3!.points.filter((point) => point.work === work).map(({ lane }) => lane);
      expect(lanes).toEqual(expect.arrayContaining(['cpu-1', 'gpu']));
    }
    for (const { lane, work, total, phases } of blake3!.points) {
      expect(total.median).toBeGreaterThan(0);
      expect(phases !== undefined).toBe(lane === 'gpu');
      if (!phases) continue;
      expect(phases.bytesUp).toBeGreaterThanOrEqual(512 * 32);
      expect(phases.bytesDown).toBe(work === 'layer' ? 256 * 32 : 32);
      expect('kernel' in phases).not.toBe('kernelRefused' in phases);
    }
  });
});

describe('a report without a GPU', () => {
  it('says why, and measures trees', async () => {
    const told: string[] = [];
    const gpu = { requestAdapter: async () => null };
    const report = await measureReport({
      hashes: ['sha256', 'rpo'],
      sizes: [64, 128],
      budgetSeconds: 6,
      gpu,
      onProgress: ({ now }) => told.push(now),
    });
    expect(report.gpuRefused).toMatch(/no adapter/);
    expect(report.hashes.map(({ hash }) => hash)).toEqual(['sha256', 'rpo']);
    expect(report.hashes.every(({ points }) => points.every(({ lane }) => lane !== 'gpu'))).toBe(true);
    expect(told).toEqual(expect.arrayContaining(['sha256', 'rpo', 'done']));
    expect(report.trees.length).toBeGreaterThan(0);
  });

  it('begins with smaller sizes where a hash is too slow for the first', async () => {
    const report = await measureReport({
      hashes: ['rpo'],
      sizes: [2 ** 16],
      lanes: ['cpu-1'],
      budgetSeconds: 0.4,
      trees: false,
    });
    const sizes = report.hashes[0]!.points.map(({ leaves }) => leaves);
    expect(sizes[0]).toBe(16);
    expect(Math.max(...sizes)).toBeLessThan(2 ** 16);
  });
});
