/** The form that says which tree to grow. */
import { type HashId, hashes, loadHash } from 'cambium';
import type { Lane, LeavesArgs } from '../tasks.ts';
import { byId, make } from './dom.ts';
import { formatBytes, formatCount } from './format.ts';

/** What the user wants. */
export interface Wish {
  readonly hash: HashId;
  readonly lanes: readonly Lane[];
  readonly leaves: LeavesArgs;
}

const GROUPS = [
  ['Bytes', (elementBytes: number) => elementBytes === 0],
  ['BN254 elements', (elementBytes: number) => elementBytes === 32],
  ['Goldilocks elements', (elementBytes: number) => elementBytes === 8],
] as const;

/** Formats of files that are hashed to leaves. */
const HASHED = ['blocks', 'lines'];

/** The form and the parts that depend on each other. */
export class GrowForm {
  readonly element: HTMLFormElement = byId('grow-form', HTMLFormElement);
  readonly #hash = byId('hash', HTMLSelectElement);
  readonly #count = byId('count', HTMLInputElement);
  readonly #power = byId('power', HTMLInputElement);
  readonly #file = byId('file', HTMLInputElement);
  readonly #format = byId('format', HTMLSelectElement);
  readonly #block = byId('block', HTMLInputElement);
  #chosen: File | undefined;

  constructor() {
    this.#listHashes();
    this.element.addEventListener('change', () => this.#update());
    this.#power.addEventListener('input', () => {
      this.#count.value = String(2 ** this.#power.valueAsNumber);
      this.#describeCount();
    });
    this.#count.addEventListener('input', () => {
      this.#power.value = String(Math.round(Math.log2(this.#count.valueAsNumber || 1)));
      this.#describeCount();
    });
    this.#file.addEventListener('change', () => this.#choose(this.#file.files?.[0]));
    this.#takeDrops();
    this.#update();
  }

  get hash(): HashId {
    return this.#hash.value as HashId;
  }

  /** The chosen tree; undefined after telling the user what is missing. */
  read(): Wish | undefined {
    const lanes = this.#boxes().filter((box) => box.checked);
    this.#boxes()[0]!.setCustomValidity(lanes.length > 0 ? '' : 'Choose CPU, GPU or both.');
    const made = this.#source() === 'made';
    this.#file.setCustomValidity(made || this.#chosen ? '' : 'Choose a file, or drop one.');
    if (!this.element.reportValidity()) return undefined;
    const { value } = this.#format;
    const format = value === 'blocks' ? `blocks:${this.#block.valueAsNumber}` : value;
    return {
      hash: this.hash,
      lanes: lanes.map((box) => box.value as Lane),
      leaves: made ? { count: this.#count.valueAsNumber } : { file: this.#chosen!, format },
    };
  }

  /** Lanes that cannot run here are taken away. */
  forbid(lane: Lane): void {
    for (const box of this.#boxes()) {
      if (box.value !== lane) continue;
      box.checked = false;
      box.disabled = true;
    }
  }

  #boxes(): HTMLInputElement[] {
    return [...this.element.querySelectorAll<HTMLInputElement>('input[name=backend]')];
  }

  #source(): string {
    return this.element.querySelector<HTMLInputElement>('input[name=source]:checked')!.value;
  }

  #listHashes(): void {
    for (const [label, fits] of GROUPS) {
      const ids = [...hashes.values()].filter(({ input }) =>
        fits(input === 'bytes' ? 0 : input.elementBytes),
      );
      const options = ids.map(({ id }) => make('option', { value: id }, id));
      this.#hash.append(make('optgroup', { label }, ...options));
    }
  }

  #choose(file: File | undefined): void {
    if (!file) return;
    this.#chosen = file;
    byId('file-text', HTMLElement).textContent = `${file.name}, ${formatBytes(file.size)}`;
    this.element.querySelector<HTMLInputElement>('input[name=source][value=file]')!.checked = true;
    this.#update();
  }

  /** Files may be dropped anywhere on the page: a miss would have the browser leave it. */
  #takeDrops(): void {
    const area = byId('drop', HTMLElement);
    const over = (on: boolean) => area.classList.toggle('over', on);
    addEventListener('dragover', (event) => {
      event.preventDefault();
      over(true);
    });
    addEventListener('dragleave', () => over(false));
    addEventListener('drop', (event) => {
      event.preventDefault();
      over(false);
      this.#choose(event.dataTransfer?.files[0]);
    });
  }

  #update(): void {
    const source = this.#source();
    for (const part of this.element.querySelectorAll<HTMLElement>('[data-source]')) {
      part.hidden = part.dataset.source !== source;
      for (const input of part.querySelectorAll<HTMLInputElement>('input, select'))
        input.disabled = part.hidden;
    }
    this.#block.disabled ||= this.#format.value !== 'blocks';
    this.#describeCount();
    void this.#limitFormats();
  }

  #describeCount(): void {
    const count = this.#count.valueAsNumber;
    const power = Math.log2(count);
    const text = byId('count-text', HTMLElement);
    if (!(count >= 1)) text.textContent = 'a whole number';
    else {
      const exact = Number.isInteger(power);
      text.replaceChildren(...(exact ? ['2', make('sup', {}, String(power))] : [formatCount(count)]));
      text.append(` leaves of 32 bytes, ${formatBytes(32 * count)}`);
    }
  }

  /** A hash without a form for bytes takes digests alone. */
  async #limitFormats(): Promise<void> {
    const { hash } = this;
    const takesBytes = (await loadHash(hash)).hash !== undefined;
    if (hash !== this.hash) return;
    for (const option of this.#format.options) option.disabled = !takesBytes && HASHED.includes(option.value);
    if (this.#format.selectedOptions[0]?.disabled) this.#format.value = 'raw32';
    this.#block.disabled = this.#source() !== 'file' || this.#format.value !== 'blocks';
    byId('format-text', HTMLElement).textContent = takesBytes
      ? ''
      : `${hash} hashes field elements only: the file must hold digests.`;
  }
}
