import { hasCode } from '../../errors.js';

/** The promise under `key`, made once; forgotten when it fails, unless the kernel computes wrong digests. */
export function once<K, T>(
  cache: Pick<Map<K, Promise<T>>, 'get' | 'delete'> & { set(key: K, value: Promise<T>): unknown },
  key: K,
  make: () => Promise<T>,
): Promise<T> {
  const known = cache.get(key);
  if (known) return known;
  const pending = make();
  cache.set(key, pending);
  pending.catch((error) => {
    if (!hasCode(error, 'KERNEL_SELF_TEST')) cache.delete(key);
  });
  return pending;
}
