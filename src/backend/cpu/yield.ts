declare const setImmediate: ((callback: () => void) => void) | undefined;

let channel: MessageChannel | undefined;
const waiting: (() => void)[] = [];

let lastTurn = 0;

/** Whether the host has had no turn for this long. One clock for all jobs: many short ones starve it like a long one. */
export function turnIsDue(milliseconds: number): boolean {
  return performance.now() - lastTurn >= milliseconds;
}

/** Lets timers, events and other jobs run. A timer of its own would cost at least four milliseconds in a browser. */
export async function yieldToHost(): Promise<void> {
  await new Promise<void>((resolve) => {
    if (typeof setImmediate === 'function') {
      setImmediate(resolve);
      return;
    }
    if (!channel) {
      channel = new MessageChannel();
      channel.port1.onmessage = () => waiting.shift()!();
    }
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
  lastTurn = performance.now();
}
