/** Runs the report, shows it, and hands out its JSON. */
import { type HashId, hashes } from 'cambium';
import { type Report, reportToHtml } from 'cambium/report';
import { type Client, TaskError } from '../client.ts';
import type { ReportNews } from '../tasks.ts';
import { byId, saveFile } from './dom.ts';
import { formatCount, formatSeconds } from './format.ts';
import type { Turns } from './turns.ts';

/** The section with the report. */
export class ReportPanel {
  readonly #client: Client;
  readonly #turns: Turns;
  readonly #form = byId('report-form', HTMLFormElement);
  readonly #bar = byId('report-progress', HTMLProgressElement);
  readonly #status = byId('report-status', HTMLElement);
  readonly #file = byId('report-file', HTMLButtonElement);
  readonly #view = byId('report', HTMLIFrameElement);
  #report: Report | undefined;

  /** @param hash the hash that is chosen now. */
  constructor(client: Client, turns: Turns, hash: () => HashId) {
    this.#client = client;
    this.#turns = turns;
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      const all = byId('scope', HTMLSelectElement).value === 'all';
      void this.#run(all ? [...hashes.keys()] : [hash()], Number(byId('budget', HTMLSelectElement).value));
    });
    this.#file.addEventListener('click', () => {
      const { date } = this.#report!;
      saveFile(`cambium-report-${date.slice(0, 10)}.json`, `${JSON.stringify(this.#report, undefined, 2)}\n`);
    });
  }

  async #run(ids: readonly HashId[], secondsEach: number): Promise<void> {
    let points = 0;
    this.#bar.value = 0;
    this.#say('The report begins…');
    const onProgress = (news: ReportNews): void => {
      if ('point' in news) {
        this.#say(`${news.hash}: ${formatCount(++points)} points measured…`);
        return;
      }
      const { done, total, now } = news.progress;
      this.#bar.value = done / total;
      this.#say(`${now}…`);
    };
    const args = { hashes: ids, trees: true, budgetSeconds: secondsEach * ids.length };
    try {
      const report = await this.#turns.run(
        byId('report-run', HTMLButtonElement),
        byId('report-stop', HTMLButtonElement),
        (signal) => this.#client.call('report', args, { signal, onProgress }),
      );
      this.#bar.value = report ? 1 : 0;
      if (report) this.#show(report, points);
      else this.#say('Stopped.');
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      this.#bar.value = 0;
      this.#say(error.message);
    }
  }

  #show(report: Report, points: number): void {
    this.#report = report;
    this.#file.disabled = false;
    this.#view.srcdoc = reportToHtml(report);
    this.#say(`Done: ${formatCount(points)} points in ${formatSeconds(report.seconds)}.`);
  }

  #say(text: string): void {
    this.#status.textContent = text;
  }
}
