/** Grows one tree on each chosen backend, one after the other, and compares the roots. */
import type { HashId } from 'cambium';
import { type Client, TaskError } from '../client.ts';
import type { Grown, GrowProgress, Lane, Machine, TrustedTree } from '../tasks.ts';
import { byId } from './dom.ts';
import { formatLeaves, formatRatio } from './format.ts';
import { GrowForm, type Wish } from './grow-form.ts';
import { LaneCard, laneNames } from './lanes.ts';
import { showLayers } from './layers-table.ts';
import type { Rings } from './rings.ts';
import type { Turns } from './turns.ts';

/** The section that grows trees. */
export class GrowPanel {
  readonly form: GrowForm = new GrowForm();
  readonly #client: Client;
  readonly #turns: Turns;
  readonly #rings: Rings;
  readonly #onTree: (tree: TrustedTree | undefined) => void;
  readonly #cards: Readonly<Record<Lane, LaneCard>> = { cpu: new LaneCard('cpu'), gpu: new LaneCard('gpu') };
  readonly #status = byId('grow-status', HTMLElement);
  #names = laneNames(false);

  /** @param onTree told of the tree that the worker keeps now. */
  constructor(client: Client, turns: Turns, rings: Rings, onTree: (tree: TrustedTree | undefined) => void) {
    this.#client = client;
    this.#turns = turns;
    this.#rings = rings;
    this.#onTree = onTree;
    this.form.element.addEventListener('submit', (event) => {
      event.preventDefault();
      const wish = this.form.read();
      if (wish) void this.#grow(wish);
    });
  }

  /** Takes the backends away that this machine lacks, and calls a software adapter what it is. */
  adapt({ gpu }: Machine): void {
    if (gpu) this.#names = laneNames(gpu.software);
    this.#cards.gpu.rename(this.#names.gpu);
    if (gpu) return;
    this.form.forbid('gpu');
    this.#cards.gpu.reset('there is no GPU here');
  }

  /** The worker and its tree are gone. */
  forget(): void {
    this.#rings.growing(0);
    showLayers(undefined);
    this.#onTree(undefined);
  }

  async #grow(wish: Wish): Promise<void> {
    this.forget();
    for (const lane of wish.lanes) this.#cards[lane].reset('waiting');
    const grown = new Map<Lane, Grown>();
    try {
      const buttons = [byId('build', HTMLButtonElement), byId('cancel', HTMLButtonElement)] as const;
      const done = await this.#turns.run(...buttons, async (signal) => {
        for (const lane of wish.lanes) {
          const first = grown.size === 0;
          grown.set(lane, await this.#growOn(lane, wish, signal, first));
          if (first) this.#show(wish.hash, grown.get(lane)!);
        }
        return true;
      });
      if (done) this.#conclude(grown);
      else this.#cancelled(wish, grown);
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      this.#say('bad', error.message);
    }
  }

  /** Shows the first tree; a second one over the same leaves is there to be compared. */
  #show(hash: HashId, grown: Grown): void {
    this.#rings.show(grown);
    showLayers(grown);
    this.#onTree({ hash, root: grown.root, depth: grown.depth, size: grown.size });
  }

  async #growOn(lane: Lane, wish: Wish, signal: AbortSignal, first: boolean): Promise<Grown> {
    const card = this.#cards[lane];
    const { hash, leaves } = wish;
    this.#say('busy', `Growing a tree on the ${this.#names[lane]}…`);
    const onProgress = (progress: GrowProgress): void => {
      card.progress(progress);
      if (first && progress.phase === 'tree') this.#rings.growing(progress.part ?? 0);
    };
    try {
      const grown = await this.#client.call('grow', { hash, lane, leaves }, { signal, onProgress });
      card.show(grown, Math.max(...Object.values(grown.seconds)));
      return grown;
    } catch (error) {
      if (error instanceof TaskError && !error.cancelled) card.fail(error.message);
      throw error;
    }
  }

  #cancelled(wish: Wish, grown: ReadonlyMap<Lane, Grown>): void {
    for (const lane of wish.lanes) if (!grown.has(lane)) this.#cards[lane].reset('cancelled');
    if (grown.size === 0) this.#rings.growing(0);
    this.#say('bad', 'Cancelled.');
  }

  #conclude(grown: ReadonlyMap<Lane, Grown>): void {
    const [first, second] = [...grown.values()];
    const size = `${formatLeaves(first!.size)}, ${first!.depth} levels`;
    if (!second) this.#say('good', `Grown: ${size}.`);
    else if (first!.root !== second.root)
      this.#say('bad', `${this.#names.cpu} and ${this.#names.gpu} disagree on the root.`);
    else this.#say('good', `Both roots agree: ${size}; ${this.#compare(grown)}.`);
  }

  /** Who was faster, by the time of the tree alone. */
  #compare(grown: ReadonlyMap<Lane, Grown>): string {
    const ratio = grown.get('cpu')!.seconds.tree / grown.get('gpu')!.seconds.tree;
    const { cpu, gpu } = this.#names;
    const [winner, loser, times] =
      ratio >= 1 ? ([gpu, cpu, ratio] as const) : ([cpu, gpu, 1 / ratio] as const);
    return `the ${winner} was ${formatRatio(times)} times as fast as the ${loser}`;
  }

  #say(kind: 'busy' | 'good' | 'bad', text: string): void {
    this.#status.dataset.kind = kind;
    this.#status.textContent = text;
  }
}
