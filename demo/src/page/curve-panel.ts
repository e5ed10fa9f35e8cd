/** Measures both backends over sizes, and shows each point as it comes. */
import type { HashId } from 'cambium';
import { type Client, TaskError } from '../client.ts';
import type { CurvePoint, Lane, Machine } from '../tasks.ts';
import { findCrossover, lanePoints } from './crossover.ts';
import { CurveChart } from './curve-chart.ts';
import { byId, make, within } from './dom.ts';
import { formatCount, formatRate, formatRatio, formatSeconds } from './format.ts';
import { laneNames } from './lanes.ts';
import type { Turns } from './turns.ts';

/** The section with the chart. */
export class CurvePanel {
  readonly #client: Client;
  readonly #turns: Turns;
  readonly #chart = new CurveChart(byId('curve', HTMLElement));
  readonly #status = byId('curve-status', HTMLElement);
  readonly #start = byId('measure', HTMLButtonElement);
  readonly #names: Readonly<Record<Lane, string>>;
  #points: CurvePoint[] = [];

  /** @param hash the hash that is chosen now. */
  constructor(client: Client, turns: Turns, machine: Machine, hash: () => HashId) {
    this.#client = client;
    this.#turns = turns;
    this.#names = laneNames(machine.gpu?.software ?? false);
    this.#show();
    this.#start.addEventListener('click', () => {
      void this.#measure(hash(), machine.gpu ? ['cpu', 'gpu'] : ['cpu']);
    });
  }

  async #measure(hash: HashId, lanes: readonly Lane[]): Promise<void> {
    this.#points = [];
    this.#show();
    this.#status.textContent = `Compiling ${hash}…`;
    const onProgress = (point: CurvePoint): void => {
      this.#points.push(point);
      this.#show();
      this.#status.textContent = `${hash}: ${formatCount(point.leaves)} leaves…`;
    };
    try {
      await this.#turns.run(this.#start, byId('stop', HTMLButtonElement), (signal) =>
        this.#client.call('curve', { hash, lanes }, { signal, onProgress }),
      );
      this.#status.textContent = `${hash}: ${this.#conclude(lanes)}`;
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      this.#status.textContent = error.message;
    }
  }

  #conclude(lanes: readonly Lane[]): string {
    if (!lanes.includes('gpu')) return 'there is no GPU here to compare with.';
    const crossing = findCrossover(this.#points);
    const best = Math.max(...this.#rows().map(({ ratio }) => ratio ?? 0));
    const name = `the ${this.#names.gpu}`;
    const most = `At its best it takes 1/${formatRatio(best)} of the time of all CPU threads.`;
    switch (crossing.kind) {
      case 'at':
        return `${name} wins from ${formatCount(crossing.leaves)} leaves on. ${most}`;
      case 'always':
        return `${name} wins at every size. ${most}`;
      case 'never':
        return `the CPU wins at the largest size that both were measured at.`;
      case 'unknown':
        return 'too few sizes were measured to say who wins.';
    }
  }

  #show(): void {
    this.#chart.show(this.#points, this.#names);
    const table = byId('curve-table', HTMLTableElement);
    const { cpu, gpu } = this.#names;
    const heads = ['Leaves', cpu, `${cpu} rate`, gpu, `${gpu} rate`, `${cpu} time / ${gpu} time`];
    within(table, 'thead', HTMLTableSectionElement).replaceChildren(
      make('tr', {}, ...heads.map((head) => make('th', { scope: 'col' }, head))),
    );
    const rows = this.#rows().map(({ leaves, cpu, gpu, ratio }) =>
      make(
        'tr',
        {},
        make('th', { scope: 'row' }, formatCount(leaves)),
        ...[cpu, gpu].flatMap((seconds) => [
          make('td', {}, seconds ? formatSeconds(seconds) : '–'),
          make('td', {}, seconds ? formatRate(leaves - 1, seconds) : '–'),
        ]),
        make('td', {}, ratio ? formatRatio(ratio) : '–'),
      ),
    );
    within(table, 'tbody', HTMLTableSectionElement).replaceChildren(...rows);
  }

  #rows(): { leaves: number; cpu: number | undefined; gpu: number | undefined; ratio: number | undefined }[] {
    const sizes = [...new Set(this.#points.map(({ leaves }) => leaves))].sort((a, b) => a - b);
    const of = (lane: Lane, size: number): number | undefined =>
      lanePoints(this.#points, lane).find(({ leaves }) => leaves === size)?.seconds;
    return sizes.map((leaves) => {
      const [cpu, gpu] = [of('cpu', leaves), of('gpu', leaves)];
      return { leaves, cpu, gpu, ratio: cpu && gpu ? cpu / gpu : undefined };
    });
  }
}
