/**
 * What differs between hosts, for browsers and other web-like runtimes. Node's form is `node/platform.ts`;
 * the `imports` field of package.json chooses.
 */

/** A running worker, whatever its host calls it. */
export interface HostWorker {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once when the worker can no longer answer. */
  onExit(listener: (reason: Error) => void): void;
  terminate(): void;
}

export interface Platform {
  readonly name: 'browser' | 'node';
  readonly cores: number;
  /** Whether this is a page's own thread, which no job may hold for long. */
  readonly isWindow: boolean;
  /** Whether `SharedArrayBuffer` can be sent to a worker. */
  readonly sharedMemory: boolean;
  /** Starts a worker from inlined source; throws where the host forbids it. */
  startWorker(source: string): HostWorker;
  /** The host's WebGPU entry point, or why there is none. */
  openGpu(): Promise<{ readonly gpu: object } | { readonly missing: string }>;
  /** Path of the optional native SHA-256 layer hasher, where it is installed. */
  nativeSha256(): Promise<
    { readonly url: string; hashInto(input: Uint8Array, output: Uint8Array): void } | undefined
  >;
}

declare const navigator: { readonly hardwareConcurrency?: number; readonly gpu?: object } | undefined;
declare const window: unknown;
declare const crossOriginIsolated: boolean | undefined;

export const platform: Platform = {
  name: 'browser',
  cores: (typeof navigator === 'object' && navigator.hardwareConcurrency) || 1,
  isWindow: typeof window !== 'undefined',
  sharedMemory:
    typeof SharedArrayBuffer === 'function' &&
    typeof crossOriginIsolated !== 'undefined' &&
    crossOriginIsolated,
  startWorker(source) {
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    try {
      const worker = new Worker(url);
      return {
        postMessage: (message, transfer = []) => worker.postMessage(message, [...transfer]),
        onMessage: (listener) => worker.addEventListener('message', (event) => listener(event.data)),
        onExit: (listener) =>
          worker.addEventListener('error', (event) =>
            listener(new Error(event.message || 'the worker failed')),
          ),
        terminate: () => worker.terminate(),
      };
    } finally {
      // The worker fetches its source before a revocation can reach it.
      URL.revokeObjectURL(url);
    }
  },
  async openGpu() {
    const gpu = typeof navigator === 'object' ? navigator.gpu : undefined;
    return gpu ? { gpu } : { missing: 'this browser offers no WebGPU here (it needs a secure context)' };
  },
  async nativeSha256() {
    return undefined;
  },
};
