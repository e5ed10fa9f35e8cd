/** The page: its sections, each of which works through the worker. */
import './style.css';
import { Client, TaskError } from './client.ts';
import { ChartPanel } from './page/chart-panel.ts';
import { byId } from './page/dom.ts';
import { GrowPanel } from './page/grow-panel.ts';
import { showFailure, showMachine } from './page/machine-panel.ts';
import { ProofPanel } from './page/proof-panel.ts';
import { ReportPanel } from './page/report-panel.ts';
import { Rings } from './page/rings.ts';
import { Turns } from './page/turns.ts';

const client = new Client(() => grow.forget());
const turns = new Turns(['build', 'measure', 'report-run'].map((id) => byId(id, HTMLButtonElement)));
const rings = new Rings();
const proofs = new ProofPanel(client, (path) => rings.mark(path));
const grow = new GrowPanel(client, turns, rings, (tree) => proofs.use(tree));

try {
  const machine = await client.call('machine', undefined);
  showMachine(machine);
  grow.adapt(machine);
  new ChartPanel(client, turns, machine, () => grow.form.hash);
  new ReportPanel(client, turns, () => grow.form.hash);
} catch (error) {
  if (!(error instanceof TaskError)) throw error;
  showFailure(error.message);
}
