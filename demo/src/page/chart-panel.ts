/** Measures the chosen hash over sizes, and shows each point as it comes. */
import type { HashId } from 'cambium';
import {
  type Crossover,
  crossoverOf,
  type LaneId,
  type Report,
  type ReportPoint,
  summarize,
} from 'cambium/report';
import { type Client, TaskError } from '../client.ts';
import type { Machine, ReportNews } from '../tasks.ts';
import { Chart, type LineNames, rateOf } from './chart.ts';
import { byId, make, within } from './dom.ts';
import { formatCount, formatRate, formatRatio, formatSeconds } from './format.ts';
import { laneNames } from './lanes.ts';
import type { Turns } from './turns.ts';

/** Sizes to begin with; where the GPU starts to win, more are measured between them. */
const SIZES = [6, 8, 10, 12, 14, 16, 18, 20, 22].map((power) => 2 ** power);
const BUDGET_SECONDS = 20;

/** The section with the chart. */
export class ChartPanel {
  readonly #client: Client;
  readonly #turns: Turns;
  readonly #names: LineNames;
  readonly #chart: Chart;
  readonly #status = byId('chart-status', HTMLElement);
  readonly #start = byId('measure', HTMLButtonElement);
  readonly #work = byId('work', HTMLSelectElement);
  #points: ReportPoint[] = [];
  #report: Report | undefined;

  /** @param hash the hash that is chosen now. */
  constructor(client: Client, turns: Turns, { gpu }: Machine, hash: () => HashId) {
    this.#client = client;
    this.#turns = turns;
    const names: [LaneId, string][] = [
      ['cpu-1', 'CPU, one thread'],
      ['cpu-all', 'CPU, all threads'],
    ];
    if (gpu) names.push(['gpu', laneNames(gpu.software).gpu]);
    this.#names = new Map(names);
    this.#chart = new Chart(byId('chart', HTMLElement), this.#names);
    this.#show();
    this.#start.addEventListener('click', () => void this.#measure(hash()));
    this.#work.addEventListener('change', () => {
      this.#show();
      if (this.#report) this.#say(this.#conclude(this.#report));
    });
  }

  async #measure(hash: HashId): Promise<void> {
    this.#points = [];
    this.#report = undefined;
    this.#show();
    this.#say(`${hash}: compiling…`);
    const onProgress = (news: ReportNews): void => {
      if (!('point' in news)) return;
      this.#points.push(news.point);
      this.#show();
      this.#say(`${hash}: ${formatCount(news.point.leaves)} leaves…`);
    };
    const args = { hashes: [hash], sizes: SIZES, trees: false, budgetSeconds: BUDGET_SECONDS };
    try {
      const report = await this.#turns.run(this.#start, byId('stop', HTMLButtonElement), (signal) =>
        this.#client.call('report', args, { signal, onProgress }),
      );
      this.#report = report;
      this.#show();
      this.#say(report ? this.#conclude(report) : `${hash}, stopped: ${this.#sayCrossover()}`);
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      this.#say(error.message);
    }
  }

  get #crossover(): Crossover | undefined {
    return crossoverOf(this.#points, this.#work.value as ReportPoint['work']);
  }

  #conclude(report: Report): string {
    const { hash, failures } = report.hashes[0]!;
    const failed = failures.map(({ reason }) => ` ${reason}.`).join('');
    return `${hash}: ${this.#sayCrossover()}${saySpeedup(report)}${failed}`;
  }

  #sayCrossover(): string {
    const name = this.#names.get('gpu');
    return name ? sayCrossover(this.#crossover, `the ${name}`) : 'there is no GPU here to compare with.';
  }

  #show(): void {
    const points = this.#points
      .filter(({ work }) => work === this.#work.value)
      .sort((a, b) => a.leaves - b.leaves);
    this.#chart.show(points, this.#crossover);
    this.#fillTable(points);
  }

  #fillTable(points: readonly ReportPoint[]): void {
    const table = byId('chart-table', HTMLTableElement);
    const heads = ['Leaves', ...[...this.#names.values()].flatMap((name) => [name, 'hashes/s'])];
    within(table, 'thead', HTMLTableSectionElement).replaceChildren(
      make('tr', {}, ...heads.map((head) => make('th', { scope: 'col' }, head))),
    );
    const rows = [...new Set(points.map(({ leaves }) => leaves))].map((leaves) => {
      const cells = [...this.#names.keys()].flatMap((lane) => {
        const point = points.find((one) => one.leaves === leaves && one.lane === lane);
        if (!point) return ['–', '–'];
        const { median, mad } = point.total;
        return [`${formatSeconds(median)} ± ${formatSeconds(mad)}`, formatRate(rateOf(point), 1)];
      });
      const head = make('th', { scope: 'row' }, formatCount(leaves));
      return make('tr', {}, head, ...cells.map((cell) => make('td', {}, cell)));
    });
    within(table, 'tbody', HTMLTableSectionElement).replaceChildren(...rows);
  }

  #say(text: string): void {
    this.#status.textContent = text;
  }
}

function sayCrossover(crossover: Crossover | undefined, name: string): string {
  switch (crossover?.kind) {
    case 'at':
      return `${name} wins from ${formatCount(crossover.leaves)} leaves on, and loses at ${formatCount(crossover.above)}.`;
    case 'always':
      return `${name} wins at every size, from ${formatCount(crossover.leaves)} leaves on.`;
    case 'never':
      return `${name} loses at every size up to ${formatCount(crossover.leaves)} leaves.`;
    case undefined:
      return `${name} could not be measured.`;
  }
}

/** The headline; a software adapter makes none. */
function saySpeedup(report: Report): string {
  const gpu = summarize(report)[0]?.gpu;
  if (!gpu) return '';
  const kernel = gpu.kernelSpeedup ? `, ${formatRatio(gpu.kernelSpeedup)} times by its kernels alone` : '';
  return ` At the largest size it is ${formatRatio(gpu.totalSpeedup)} times as fast as the CPU in total${kernel}.`;
}
