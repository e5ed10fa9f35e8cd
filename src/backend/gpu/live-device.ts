/** A device with what the library knows of it: whether it is lost, and what a failed call on it means. */
import { CambiumError, type ErrorCode } from '../../errors.js';
import type { GpuAdapterInfo } from './adapter.js';
import { BufferPool } from './buffer-pool.js';
import { Gate } from './gate.js';
import { planningLimits } from './modes.js';
import type { GpuDeviceLike, GpuErrorFilterLike, GpuLimitsLike } from './types.js';

/** Innermost last. */
const SCOPES: readonly GpuErrorFilterLike[] = ['internal', 'out-of-memory', 'validation'];

/** A lost device first fails calls and then says that it is lost; so long a failed call waits for the reason. */
const LOSS_GRACE_MS = 100;

/** Jobs that run at a time: one uploads while another is hashed. More would only take memory. */
export const JOBS_IN_FLIGHT = 2;

export class LiveDevice {
  readonly device: GpuDeviceLike;
  readonly info: GpuAdapterInfo;
  /** What jobs are cut to. */
  readonly limits: GpuLimitsLike;
  readonly pool: BufferPool;
  readonly jobs: Gate;
  #lost: CambiumError | undefined;
  /** Rejects with `DEVICE_LOST`, never resolves. */
  readonly #loss: Promise<never>;

  constructor(device: GpuDeviceLike, info: GpuAdapterInfo) {
    this.device = device;
    this.info = info;
    this.limits = planningLimits(device.limits);
    this.pool = new BufferPool(this);
    this.jobs = new Gate(JOBS_IN_FLIGHT);
    this.#loss = device.lost.then((loss) => {
      const reason = loss.reason || 'unknown';
      this.#lost = new CambiumError('DEVICE_LOST', `the GPU device is lost (${reason}): ${loss.message}`);
      throw this.#lost;
    });
    this.#loss.catch(() => {});
  }

  /** Why the device can no longer be used. */
  get lost(): CambiumError | undefined {
    return this.#lost;
  }

  /**
   * Runs synchronous calls on the device inside error scopes.
   *
   * @param code what a call that the device refuses means here.
   * @throws {CambiumError} `DEVICE_LOST`, `OUT_OF_DEVICE_MEMORY`, or `code`.
   */
  async guard<T>(what: string, calls: () => T, code: ErrorCode = 'BACKEND_UNAVAILABLE'): Promise<T> {
    if (this.#lost) throw this.#lost;
    for (const scope of SCOPES) this.device.pushErrorScope(scope);
    let result: { value: T } | { thrown: unknown };
    try {
      result = { value: calls() };
    } catch (thrown) {
      result = { thrown };
    }
    const pops = Promise.all(SCOPES.map(() => this.device.popErrorScope()));
    const [validation, memory, internal] = await this.settled(what, pops, code);
    if (memory) throw new CambiumError('OUT_OF_DEVICE_MEMORY', `${what}: ${memory.message}`);
    const refused = validation ?? internal;
    if (refused) throw new CambiumError(code, `${what}: ${refused.message}`);
    if ('thrown' in result) throw await this.#explain(what, result.thrown, code);
    return result.value;
  }

  /**
   * Waits for an answer of the device.
   *
   * @throws {CambiumError} `DEVICE_LOST` as soon as the device is lost, `code` when the answer is a refusal.
   */
  async settled<T>(what: string, answer: Promise<T>, code: ErrorCode = 'BACKEND_UNAVAILABLE'): Promise<T> {
    try {
      return await Promise.race([answer, this.#loss]);
    } catch (error) {
      throw await this.#explain(what, error, code);
    }
  }

  async #explain(what: string, error: unknown, code: ErrorCode): Promise<CambiumError> {
    if (error instanceof CambiumError) return error;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LOSS_GRACE_MS);
    });
    await Promise.race([grace, this.#loss.catch(() => {})]);
    clearTimeout(timer);
    if (this.#lost) return this.#lost;
    const message = error instanceof Error ? error.message : String(error);
    return new CambiumError(code, `${what}: ${message}`, { cause: error });
  }
}
