/** Leaves in an object of an S3-compatible store, through a client that the user brings. */
import { CambiumError } from '../errors.js';
import type { SourceReader } from './source.js';

/**
 * The two requests that are made of an object store. Credentials stay in the client.
 *
 * @example
 * ```ts
 * const client: ObjectClient = {
 *   async head(bucket, key) {
 *     const { ContentLength, ETag } = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
 *     return { bytes: ContentLength!, tag: ETag };
 *   },
 *   async get(bucket, key, from, to) {
 *     const Range = `bytes=${from}-${to - 1}`;
 *     const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range }));
 *     return Body as AsyncIterable<Uint8Array>;
 *   },
 * };
 * ```
 */
export interface ObjectClient {
  /** Length in bytes, and the entity tag where the store gives one. */
  head(bucket: string, key: string): Promise<{ readonly bytes: number; readonly tag?: string | undefined }>;
  /** The bytes from `from` to just before `to`. */
  get(
    bucket: string,
    key: string,
    from: number,
    to: number,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
}

/** @throws {RangeError} for an object that `objects` does not allow. */
export async function openObject(
  bucket: string,
  key: string,
  objects: { readonly client: ObjectClient; readonly allowed: readonly string[] } | undefined,
): Promise<SourceReader> {
  const name = `${bucket}/${key}`;
  if (!objects?.allowed.some((prefix) => isBelow(name, prefix))) {
    throw new RangeError(`source: object ${name} is none of those that may be read here`);
  }
  const { client } = objects;
  const { bytes, tag } = await client.head(bucket, key);
  if (!Number.isSafeInteger(bytes) || bytes < 0) {
    throw new CambiumError('SOURCE_CHANGED', `${name}: the store gives its length as ${bytes}`);
  }
  return {
    bytes,
    tag,
    async *read(from, to, signal) {
      if (from < to) yield* await client.get(bucket, key, from, to, signal);
    },
    async unchanged() {
      const now = await client.head(bucket, key);
      return now.bytes === bytes && now.tag === tag;
    },
    async close() {},
  };
}

const isBelow = (name: string, prefix: string): boolean =>
  name === prefix || name.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
