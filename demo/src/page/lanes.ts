/** A card for each backend: how far its tree is, how long each phase took, and its root. */
import { type Grown, type GrowProgress, type Lane, PHASES, type Phase } from '../tasks.ts';
import { byId, make, within } from './dom.ts';
import { formatBytes, formatCount, formatRate, formatSeconds } from './format.ts';

/** What the backends are called: a software adapter is no GPU. */
export function laneNames(softwareAdapter: boolean): Readonly<Record<Lane, string>> {
  return { cpu: 'CPU', gpu: softwareAdapter ? 'software adapter' : 'GPU' };
}

/** What each phase does, for people. */
const NAMES: Readonly<Record<Phase, string>> = {
  open: 'open, compile, test',
  kernels: 'first small tree',
  leaves: 'leaves',
  tree: 'tree, all layers',
};

/** One card. */
export class LaneCard {
  readonly #card: HTMLElement;
  readonly #bar: HTMLProgressElement;
  readonly #lane: Lane;

  constructor(lane: Lane) {
    const title = laneNames(false)[lane];
    this.#lane = lane;
    this.#bar = make('progress', { max: 1, value: 0, 'aria-label': `Progress on the ${title}` });
    const times = PHASES.map((phase) =>
      make(
        'div',
        { 'data-phase': phase },
        make('dt', {}, NAMES[phase]),
        make(
          'dd',
          {},
          make('span', { class: 'time' }, '–'),
          make('span', { class: 'bar', 'aria-hidden': true }),
        ),
      ),
    );
    this.#card = make(
      'article',
      { class: 'card lane', 'data-lane': lane, 'aria-labelledby': `lane-${lane}` },
      make('header', {}, make('h2', { id: `lane-${lane}` }, title), make('p', { class: 'rate' }, '–')),
      make('p', { class: 'engine hint' }, 'not run yet'),
      this.#bar,
      make('dl', { class: 'phases' }, ...times),
      make('p', { class: 'root' }, make('span', { class: 'label' }, 'root '), make('code', {}, '–')),
    );
    byId('lanes', HTMLElement).append(this.#card);
  }

  /** Names the card anew, as `CPU` or `GPU` alone may be wrong. */
  rename(name: string): void {
    this.#text('h2', name);
    this.#bar.setAttribute('aria-label', `Progress on the ${name}`);
  }

  /** Forgets the last run. */
  reset(text: string): void {
    this.#card.dataset.state = 'idle';
    this.#bar.value = 0;
    this.#text('.engine', text);
    this.#text('.rate', '–');
    this.#text('.root code', '–');
    for (const phase of PHASES) this.#time(phase, '–', 0);
  }

  progress({ phase, part }: GrowProgress): void {
    this.#card.dataset.state = 'running';
    this.#text('.engine', `${NAMES[phase]}…`);
    if (part === undefined) this.#bar.removeAttribute('value');
    else this.#bar.value = part;
  }

  /** @param longest seconds that fill a bar. */
  show(grown: Grown, longest: number): void {
    this.#card.dataset.state = 'done';
    this.#bar.value = 1;
    const moved =
      this.#lane === 'gpu'
        ? `; ${formatBytes(grown.bytesUp)} up, ${formatBytes(grown.bytesDown)} down, ${formatCount(grown.dispatches)} dispatches`
        : '';
    this.#text('.engine', `${grown.engine}${moved}`);
    this.#text('.rate', `${formatRate(grown.hashes, grown.seconds.tree)} hashes/s`);
    this.#text('.root code', grown.root);
    for (const phase of PHASES) {
      const seconds = grown.seconds[phase];
      this.#time(phase, formatSeconds(seconds), seconds / longest);
    }
  }

  fail(message: string): void {
    this.#card.dataset.state = 'failed';
    this.#bar.value = 0;
    this.#text('.engine', message);
  }

  #text(selector: string, text: string): void {
    within(this.#card, selector, HTMLElement).textContent = text;
  }

  #time(phase: Phase, text: string, part: number): void {
    const row = within(this.#card, `[data-phase=${phase}]`, HTMLElement);
    within(row, '.time', HTMLElement).textContent = text;
    within(row, '.bar', HTMLElement).style.setProperty('--part', String(part));
  }
}
