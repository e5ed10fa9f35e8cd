/** What this browser offers, in words. */
import type { Machine } from '../tasks.ts';
import { byId, within } from './dom.ts';

/** An adapter by name. */
export function adapterName({ gpu }: Machine): string {
  return gpu ? [gpu.vendor, gpu.architecture, gpu.description || gpu.device].filter(Boolean).join(' ') : '';
}

/** Fills the panel, and says plainly when there is no GPU or only a software one. */
export function showMachine(machine: Machine): void {
  const panel = byId('machine', HTMLElement);
  const set = (name: string, text: string): void => {
    within(panel, `[data-of=${name}]`, HTMLElement).textContent = text;
  };
  const { gpu, engine, threads, isolated } = machine;
  set('gpu', gpu ? `${adapterName(machine)}${gpu.software ? ' (software)' : ''}` : 'none');
  set('cpu', `${engine}, ${threads} threads`);
  set('memory', isolated ? 'shared by threads' : 'copied to threads');
  const { kind, text } = judge(machine);
  const notice = byId('notice', HTMLElement);
  notice.dataset.kind = kind;
  notice.textContent = text;
}

/** Says that the library did not even start. */
export function showFailure(message: string): void {
  const notice = byId('notice', HTMLElement);
  notice.dataset.kind = 'error';
  notice.textContent = `Nothing works here: ${message}.`;
}

function judge(machine: Machine): { kind: 'good' | 'warning'; text: string } {
  const { gpu, gpuRefused } = machine;
  if (!gpu) {
    return {
      kind: 'warning',
      text: `There is no GPU here: ${gpuRefused ?? 'this browser offers none'}. Everything runs on the CPU.`,
    };
  }
  if (gpu.software) {
    return {
      kind: 'warning',
      text: `There is only a software adapter here (${adapterName(machine)}), which is the CPU in disguise: kernels can be checked on it, but its speed says nothing about a GPU.`,
    };
  }
  return {
    kind: 'good',
    text: `A GPU is here: ${adapterName(machine) || 'its browser keeps its name to itself'}.`,
  };
}
