/** The page: its sections, each of which works through the worker. */
import './style.css';
import { Client, TaskError } from './client.ts';
import { CurvePanel } from './page/curve-panel.ts';
import { byId } from './page/dom.ts';
import { GrowPanel } from './page/grow-panel.ts';
import { showFailure, showMachine } from './page/machine-panel.ts';
import { ProofPanel } from './page/proof-panel.ts';
import { Rings } from './page/rings.ts';
import { Turns } from './page/turns.ts';

const client = new Client(() => grow.forget());
const turns = new Turns(['build', 'measure'].map((id) => byId(id, HTMLButtonElement)));
const rings = new Rings();
const proofs = new ProofPanel(client, (path) => rings.mark(path));
const grow = new GrowPanel(client, turns, rings, (tree) => proofs.use(tree));

try {
  const machine = await client.call('machine', undefined);
  showMachine(machine);
  grow.adapt(machine);
  new CurvePanel(client, turns, machine, () => grow.form.hash);
} catch (error) {
  if (!(error instanceof TaskError)) throw error;
  showFailure(error.message);
}
