/** A proof of one leaf: made, verified, damaged, restored. */
import { type Client, TaskError } from '../client.ts';
import type { ProofView, TrustedTree, Verdict } from '../tasks.ts';
import { byId, make, saveFile } from './dom.ts';
import { formatCount } from './format.ts';
import type { MarkedPath } from './rings.ts';

/** A digest of the proof: its leaf, or a sibling by level. */
type Part = 'leaf' | number;

const HINT = 'Build a tree, then prove one of its leaves. Change a byte of the proof, and see it fail.';

/** The section on proofs. */
export class ProofPanel {
  readonly #client: Client;
  readonly #mark: (path: MarkedPath | undefined) => void;
  readonly #form = byId('proof-form', HTMLFormElement);
  readonly #index = byId('index', HTMLInputElement);
  readonly #status = byId('proof-status', HTMLElement);
  readonly #list = byId('proof', HTMLOListElement);
  readonly #file = byId('proof-file', HTMLButtonElement);
  readonly #restore = byId('restore', HTMLButtonElement);
  #tree: TrustedTree | undefined;
  /** As the tree made it, and as it is now. */
  #made: ProofView | undefined;
  #proof: ProofView | undefined;
  /** The path of the proof as it was made. */
  #path: readonly string[] = [];

  /** @param mark draws a proof on the tree. */
  constructor(client: Client, mark: (path: MarkedPath | undefined) => void) {
    this.#client = client;
    this.#mark = mark;
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#guard(() => this.#prove(this.#index.valueAsNumber));
    });
    byId('random', HTMLButtonElement).addEventListener('click', () => {
      this.#index.value = String(Math.floor(Math.random() * this.#tree!.size));
      void this.#guard(() => this.#prove(this.#index.valueAsNumber));
    });
    this.#restore.addEventListener('click', () => {
      this.#proof = this.#made;
      void this.#guard(() => this.#check());
    });
    this.#file.addEventListener('click', () => void this.#guard(() => this.#save()));
  }

  /** Takes the tree that proofs are of; without one, nothing can be proved. */
  use(tree: TrustedTree | undefined): void {
    this.#tree = tree;
    this.#made = this.#proof = undefined;
    this.#list.replaceChildren();
    this.#say('none', HINT);
    const able = tree !== undefined && tree.size > 0;
    for (const control of this.#form.querySelectorAll<HTMLInputElement>('input, button'))
      control.disabled = !able;
    this.#restore.disabled = this.#file.disabled = true;
    this.#index.max = String(Math.max(0, (tree?.size ?? 1) - 1));
    if (this.#index.valueAsNumber >= (tree?.size ?? 0)) this.#index.value = '0';
    if (able) this.#say('none', `Choose a leaf, from 0 to ${formatCount(tree.size - 1)}.`);
  }

  async #prove(index: number): Promise<void> {
    const tree = this.#tree!;
    const proof = await this.#client.call('prove', { index });
    if (tree !== this.#tree) return;
    this.#made = this.#proof = proof;
    await this.#check();
    this.#file.disabled = false;
  }

  /** Saves the proof as it stands now, damaged or not, for `cambium verify`. */
  async #save(): Promise<void> {
    const [tree, proof] = [this.#tree!, this.#proof!];
    saveFile(`proof-${proof.index}.json`, await this.#client.call('proofJson', { tree, proof }));
  }

  /** Verifies the proof as it stands now. */
  async #check(): Promise<void> {
    const [tree, proof] = [this.#tree!, this.#proof!];
    const verdict = await this.#client.call('verify', { tree, proof });
    if (proof !== this.#proof) return;
    if (proof === this.#made) this.#path = verdict.path ?? [];
    this.#restore.disabled = proof === this.#made;
    this.#show(tree, proof, verdict);
  }

  #show(tree: TrustedTree, proof: ProofView, { valid, path, refused }: Verdict): void {
    const wrongFrom = valid ? undefined : (path?.findIndex((node, level) => node !== this.#path[level]) ?? 0);
    this.#mark({ index: proof.index, wrongFrom });
    const where = `leaf ${formatCount(proof.index)} of ${formatCount(tree.size)}`;
    if (valid) this.#say('true', `True: ${proof.siblings.length} hashes lead from ${where} to the root.`);
    else if (refused !== undefined) this.#say('false', `False: ${refused}.`);
    else
      this.#say(
        'false',
        `False: the path from ${where} leads to ${shorten(path!.at(-1)!)}, not to the root.`,
      );
    this.#fillList(tree, proof, path);
  }

  #fillList(tree: TrustedTree, proof: ProofView, path: readonly string[] | undefined): void {
    const rows = [
      this.#row('leaf', `leaf ${formatCount(proof.index)}`, proof.leaf, this.#made!.leaf),
      ...proof.siblings.map((sibling, level) => {
        const side = Math.floor(proof.index / 2 ** level) % 2 ? 'left' : 'right';
        return this.#row(level, `level ${level}, ${side}`, sibling, this.#made!.siblings[level]!);
      }),
      make(
        'li',
        { class: 'end' },
        make('span', { class: 'label' }, 'leads to'),
        digest(path?.at(-1) ?? '–', tree.root),
      ),
      make('li', { class: 'end' }, make('span', { class: 'label' }, 'root'), digest(tree.root, tree.root)),
    ];
    // Whoever has the focus on a button keeps it.
    const focused = (document.activeElement as HTMLElement | null)?.dataset.part;
    this.#list.replaceChildren(...rows);
    if (focused) this.#list.querySelector<HTMLElement>(`[data-part="${focused}"]`)?.focus();
  }

  #row(part: Part, name: string, now: string, made: string): HTMLLIElement {
    const button = make(
      'button',
      { type: 'button', class: 'small', 'data-part': part, 'aria-label': `Change a byte of ${name}` },
      'Change a byte',
    );
    button.addEventListener('click', () => {
      this.#proof = damaged(this.#proof!, part);
      void this.#guard(() => this.#check());
    });
    return make('li', {}, make('span', { class: 'label' }, name), digest(now, made), button);
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      this.#say('false', error.message);
    }
  }

  #say(verdict: 'none' | 'true' | 'false', text: string): void {
    this.#status.dataset.verdict = verdict;
    this.#status.textContent = text;
  }
}

/** The proof with one byte of one digest changed: any but the first and last of each eight, to stay in every field. */
function damaged(proof: ProofView, part: Part): ProofView {
  const at = 8 * Math.floor(Math.random() * 4) + 1 + Math.floor(Math.random() * 6);
  const change = (digits: string): string => {
    const start = 2 + 2 * at;
    const byte = Number.parseInt(digits.slice(start, start + 2), 16) ^ (1 + Math.floor(Math.random() * 255));
    return digits.slice(0, start) + byte.toString(16).padStart(2, '0') + digits.slice(start + 2);
  };
  if (part === 'leaf') return { ...proof, leaf: change(proof.leaf) };
  return {
    ...proof,
    siblings: proof.siblings.map((sibling, level) => (level === part ? change(sibling) : sibling)),
  };
}

/** A digest; bytes that differ from `made` are marked. */
function digest(now: string, made: string): HTMLElement {
  const code = make('code', {});
  if (now.length !== made.length) {
    code.append(now);
    return code;
  }
  for (let at = 0; at < now.length; ) {
    const same = now.slice(at, at + 2) === made.slice(at, at + 2);
    let end = at + 2;
    while (end < now.length && (now.slice(end, end + 2) === made.slice(end, end + 2)) === same) end += 2;
    code.append(same ? now.slice(at, end) : make('mark', {}, now.slice(at, end)));
    at = end;
  }
  return code;
}

const shorten = (digits: string): string => `${digits.slice(0, 10)}…${digits.slice(-6)}`;
