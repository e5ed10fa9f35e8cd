/** What reports make of figures: stamps that lie, crossovers, JSON, comparisons, pages. */
import { describe, expect, it } from 'vitest';
import { compareReports } from '../../src/report/compare.ts';
import { crossoverOf, nextSize } from '../../src/report/crossover.ts';
import { reportToHtml } from '../../src/report/html.ts';
import { hashesOfTree, testDigests } from '../../src/report/input.ts';
import { reportToMarkdown } from '../../src/report/markdown.ts';
import { measureReport } from '../../src/report/measure.ts';
import { parseReport } from '../../src/report/parse.ts';
import { summarize } from '../../src/report/summary.ts';
import { kernelTime, type PassStamps } from '../../src/report/timestamps.ts';
import { median, spreadOf, timeByTurns } from '../../src/report/timing.ts';
import type { Report } from '../../src/report/types.ts';
import { FakeGpu } from '../support/fake-gpu.ts';
import { sampleReport, spread, treePoint } from '../support/sample-report.ts';

describe('timestamps', () => {
  const us = (begin: number, end: number): PassStamps => [BigInt(begin * 1000 + 1), BigInt(end * 1000 + 7)];

  it('are summed over passes', () => {
    const time = kernelTime([us(1000, 1500), us(2000, 2500)], 0.01);
    expect(time).toEqual({ seconds: expect.closeTo(1e-3, 6) });
  });

  it.each([
    ['no pass at all', [], /no pass/],
    ['never written', [[0n, 0n]], /\(0, 0\)/],
    ['half written', [[0n, 1_000_003n]], /\(0, 1000003\)/],
    ['backwards', [[5n, 3n]], /backwards: \(5, 3\)/],
    ['without length', [[77_777_777n, 77_777_777n]], /no time at all|steps/],
    [
      'one good, one backwards',
      [
        [1n, 90_001n],
        [5n, 3n],
      ],
      /backwards/,
    ],
    [
      'steps of 65 us, a few of them',
      [[65_536n * 100n, 65_536n * 103n]],
      /too short for a clock with steps of 65.536/,
    ],
    ['steps of 100 us, all equal', [[100_000n, 100_000n]], /steps/],
    ['longer than the job', [us(0, 60_000)], /whole job 0.01 s/],
  ] as [string, PassStamps[], RegExp][])('are refused: %s', (_, passes, reason) => {
    const time = kernelTime(passes, 0.01);
    expect('refused' in time ? time.refused : time).toMatch(reason);
  });

  it('with coarse steps are believed where the sum is many steps', () => {
    const time = kernelTime([[65_536n * 100n, 65_536n * 701n]], 1);
    expect(time).toEqual({ seconds: expect.closeTo(601 * 65.536e-6, 9) });
  });
});

describe('crossover', () => {
  const measured = (sizes: readonly [leaves: number, cpu: number, gpu: number][]) =>
    sizes.flatMap(([leaves, cpu, gpu]) => [
      treePoint('cpu-1', leaves, 2 * cpu),
      treePoint('cpu-all', leaves, cpu),
      treePoint('gpu', leaves, gpu),
    ]);

  it('stands between the last size that loses and the next', () => {
    const points = measured([
      [1024, 1, 5],
      [4096, 4, 5],
      [16384, 16, 6],
      [65536, 64, 9],
    ]);
    expect(crossoverOf(points, 'tree')).toEqual({ kind: 'at', leaves: 16384, above: 4096 });
    expect(crossoverOf(points, 'layer')).toBeUndefined();
  });

  it('is not claimed before a size that loses again', () => {
    const points = measured([
      [1024, 9, 5],
      [4096, 4, 5],
      [16384, 16, 6],
    ]);
    expect(crossoverOf(points, 'tree')).toEqual({ kind: 'at', leaves: 16384, above: 4096 });
  });

  it('may be everywhere, nowhere, unknown', () => {
    expect(
      crossoverOf(
        measured([
          [1024, 9, 5],
          [4096, 40, 5],
        ]),
        'tree',
      ),
    ).toEqual({ kind: 'always', leaves: 1024 });
    expect(
      crossoverOf(
        measured([
          [1024, 1, 5],
          [4096, 4, 5],
        ]),
        'tree',
      ),
    ).toEqual({ kind: 'never', leaves: 4096 });
    expect(crossoverOf([treePoint('gpu', 1024, 1)], 'tree')).toBeUndefined();
  });

  it('is searched for in the geometric middle until it is narrow', () => {
    expect(nextSize({ kind: 'at', leaves: 4096, above: 1024 })).toBe(2048);
    expect(nextSize({ kind: 'at', leaves: 2048, above: 1800 })).toBeUndefined();
    expect(nextSize({ kind: 'never', leaves: 4096 })).toBeUndefined();
    expect(nextSize(undefined)).toBeUndefined();
  });
});

describe('timing', () => {
  it('medians withstand one bad round', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(spreadOf([1, 1.1, 0.9, 1, 50])).toMatchObject({ median: 1, mad: expect.closeTo(0.1), rounds: 5 });
  });

  it('gives each contender rounds of its own, a slow one fewer', async () => {
    const wait = (milliseconds: number) => ({
      run: () => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    });
    const [fast, slow] = await timeByTurns([wait(1), wait(60)], { seconds: 0.01 });
    expect(fast!.rounds).toBeGreaterThanOrEqual(3);
    expect(slow!.rounds).toBe(1);
    expect(slow!.median).toBeGreaterThan(0.05);
  });

  it('does not count what makes a run ready', async () => {
    const prepare = () => new Promise<void>((resolve) => setTimeout(resolve, 30));
    const [only] = await timeByTurns([{ prepare, run: async () => {} }], { seconds: 0.001 });
    expect(only!.median).toBeLessThan(0.01);
  });
});

describe('input', () => {
  it('is canonical for every field', () => {
    const bytes = testDigests(100);
    for (let i = 0; i < bytes.length; i += 8) expect(Math.max(bytes[i]!, bytes[i + 7]!)).toBeLessThan(0x20);
    expect(new Set(bytes).size).toBeGreaterThan(200);
  });

  it('of trees has known numbers of hashes', () => {
    expect([1, 2, 3, 1024, 1000].map(hashesOfTree)).toEqual([
      0,
      1,
      3,
      1023,
      500 + 250 + 125 + 63 + 32 + 16 + 8 + 4 + 2 + 1,
    ]);
  });
});

describe('JSON', () => {
  it('comes back as it was', () => {
    const report = sampleReport();
    expect(parseReport(JSON.stringify(report))).toEqual(report);
  });

  it.each([
    ['{', 'MALFORMED', /no JSON/],
    ['null', 'MALFORMED', /got undefined/],
    ['{"format":"cambium-report/2"}', 'VERSION_MISMATCH', /cambium-report\/2/],
    [
      JSON.stringify({ ...sampleReport(), machine: undefined }),
      'MALFORMED',
      /report\.machine: expected an object/,
    ],
    [
      JSON.stringify({
        ...sampleReport(),
        trees: [{ ...sampleReport().trees[0], total: spread(Number.NaN) }],
      }),
      'MALFORMED',
      /report\.trees\[0\]\.total\.median: expected a number, 0 or more, got null/,
    ],
    [JSON.stringify({ ...sampleReport(), hashes: {} }), 'MALFORMED', /report\.hashes: expected a list/],
  ])('is refused with the place that is wrong: %.40s', (json, code, message) => {
    expect(() => parseReport(json)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});

describe('comparison', () => {
  const slower = (factor: number, mad: number): Report => {
    const report = sampleReport();
    const [sha256, rpo] = report.hashes;
    const points = sha256!.points.map((point) => ({
      ...point,
      total: spread(point.total.median * factor, point.total.median * mad),
    }));
    return { ...report, hashes: [{ ...sha256!, points }, rpo!] };
  };

  it('of a report with itself finds nothing', () => {
    const { differences, points } = compareReports(sampleReport(), sampleReport());
    expect(differences).toEqual([]);
    expect(points).toHaveLength(7);
    for (const point of points) expect(point).toMatchObject({ ratio: 1, verdict: 'same' });
  });

  it('tells a change from noise', () => {
    const verdicts = (other: Report) =>
      new Set(
        compareReports(sampleReport(), other)
          .points.slice(0, 6)
          .map(({ verdict }) => verdict),
      );
    expect(verdicts(slower(2, 0.02))).toEqual(new Set(['slower']));
    expect(verdicts(slower(0.5, 0.01))).toEqual(new Set(['faster']));
    expect(verdicts(slower(1.3, 0.5))).toEqual(new Set(['same']));
  });

  it('names other machines, and software', () => {
    const other = sampleReport({
      machine: { ...sampleReport().machine, cpu: 'B' },
      adapter: { ...sampleReport().adapter!, software: true },
    });
    const { differences, points } = compareReports(sampleReport(), other);
    expect(differences).toEqual([expect.stringContaining('cpu: A <CPU> & more, 8 cores and B, 8 cores')]);
    expect(points.filter(({ software }) => software).every(({ lane }) => lane === 'gpu')).toBe(true);
    expect(points.some(({ software }) => software)).toBe(true);
  });
});

describe('summary', () => {
  it('takes the faster CPU lane at the largest size of both, total and kernel apart', () => {
    const [sha256, ...others] = summarize(sampleReport());
    expect(others).toEqual([]);
    expect(sha256).toMatchObject({ hash: 'sha256', leaves: 4096, cpu: { lane: 'cpu-all' } });
    expect(sha256!.gpu!.totalSpeedup).toBeCloseTo(2);
    expect(sha256!.gpu!.kernelSpeedup).toBeCloseTo(8);
  });

  it('leaves a software adapter out', () => {
    const software = sampleReport({ adapter: { ...sampleReport().adapter!, software: true } });
    expect(summarize(software)[0]).not.toHaveProperty('gpu');
  });
});

describe('pages', () => {
  const software = sampleReport({ adapter: { ...sampleReport().adapter!, software: true } });

  it('need nothing but themselves', () => {
    const html = reportToHtml(sampleReport());
    expect(html).not.toMatch(/<script|<link[^>]+href="(?!data:,")|\bsrc=|@import|url\(|https?:/i);
    expect(html).toContain('viewport');
    expect(html).toContain('prefers-color-scheme: dark');
  });

  it('show text as text', () => {
    const html = reportToHtml(sampleReport());
    expect(html).toContain('A &lt;CPU&gt; &amp; more');
    expect(html).not.toContain('<CPU>');
    expect(reportToMarkdown(sampleReport())).toContain('KERNEL_SELF_TEST: a \\| b');
  });

  it('have a line for each lane and for the kernels', () => {
    const html = reportToHtml(sampleReport());
    for (const kind of ['cpu-1', 'cpu-all', 'gpu', 'kernel']) {
      expect(html).toMatch(
        new RegExp(`<g class="line ${kind}"><polyline points="[\\d.]+,[\\d.]+ [\\d.]+,[\\d.]+"`),
      );
    }
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
  });

  it.each([reportToHtml, reportToMarkdown])('say which speed-up is meant, and against what', (write) => {
    const page = write(sampleReport());
    for (const text of ['speed-up, total', 'speed-up, kernel', 'faster of one thread and all threads']) {
      expect(page).toContain(text);
    }
  });

  it.each([reportToHtml, reportToMarkdown])(
    'mark software on every line and make no headline of it',
    (write) => {
      const page = write(software);
      expect(page).not.toContain('speed-up');
      expect(page).toContain('says nothing about a GPU'.replace('says', 'say'));
      // Its lane, engine and legend, wherever they stand: never as a plain GPU.
      expect(page).not.toMatch(/[>|] ?GPU ?[<|] ?2\^/);
      expect(page).toContain('software adapter (no GPU)');
    },
  );
});

describe('a GPU that fails', () => {
  const small = { hashes: ['sha256'], sizes: [64, 128], budgetSeconds: 3 };

  it('is measured as long as it works, without stamps where there are none', async () => {
    const { adapter, hashes } = await measureReport({ ...small, trees: false, gpu: new FakeGpu() });
    expect(adapter).toMatchObject({ vendor: 'fake', software: false, timestamps: false });
    const gpu = hashes[0]!.points.filter(({ lane }) => lane === 'gpu');
    expect(gpu.length).toBeGreaterThan(0);
    for (const { phases } of gpu) expect(phases!.kernelRefused).toMatch(/no timestamp queries/);
  });

  it('costs only its own figures', async () => {
    let submits = 0;
    const gpu = new FakeGpu({ fault: (call) => (call === 'submit' && ++submits > 60 ? 'loses' : undefined) });
    const { hashes, trees } = await measureReport({ ...small, gpu });
    expect(hashes[0]!.failures).toEqual([{ lane: 'gpu', reason: expect.stringMatching(/^DEVICE_LOST/) }]);
    const sizes = hashes[0]!.points.filter(({ lane, work }) => lane === 'cpu-1' && work === 'tree');
    expect(sizes.map(({ leaves }) => leaves)).toEqual([64, 128]);
    expect(trees.length).toBeGreaterThan(0);
  });

  it('ends the report when it computes wrong digests', async () => {
    const gpu = new FakeGpu();
    let hashed = 0;
    gpu.options.spoil = (digest) => {
      // Right as long as the self-test lasts.
      if (++hashed > 1500) digest[0]! ^= 1;
    };
    await expect(measureReport({ ...small, gpu })).rejects.toMatchObject({ code: 'CROSS_CHECK_MISMATCH' });
  });
});

describe('options', () => {
  it.each([
    [{ hashes: ['md5'] }, /hash: unknown id "md5"/],
    [{ sizes: [] }, /sizes: expected at least one/],
    [{ sizes: [1000] }, /sizes: expected ascending powers of two/],
    [{ sizes: [2048, 1024] }, /sizes: expected ascending/],
    [{ budgetSeconds: 0 }, /budgetSeconds: expected a number above 0/],
    [{ lanes: ['tpu' as 'gpu'] }, /lanes: expected cpu-1/],
  ])('are checked: %o', async (options, message) => {
    await expect(measureReport(options)).rejects.toThrow(message);
  });

  it('an abort ends the work', async () => {
    const signal = AbortSignal.abort();
    await expect(measureReport({ lanes: ['cpu-1'], signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
