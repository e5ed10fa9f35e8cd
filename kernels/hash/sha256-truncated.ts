/** SHA-256 cut to 31 bytes behind one zero byte: the digest moves up by one byte. */
import type { KernelSource } from '../lib/kernel.ts';
import { type Finish, sha256Builds } from './sha256.ts';

const behindZero: Finish = (w, state) =>
  state.map((word, i) => {
    const low = w.shrU(word, 8);
    return i === 0 ? low : w.or(w.shl(state[i - 1]!, 24), low);
  }) as unknown as typeof state;

export const kernels: KernelSource = { builds: sha256Builds(behindZero) };
