/** Where leaves lie. Redis sees these references only, never the leaves. */

import { openFile } from './file-source.js';
import type { Generator as LeafGenerator } from './generator-source.js';
import { openGenerator } from './generator-source.js';
import { openHttp } from './http-source.js';
import { type ObjectClient, openObject } from './object-source.js';

/** A source by name, the same on every machine. It must hold no secrets: whoever reads Redis reads it. */
export type SourceReference =
  /** An absolute path that all workers see, on shared storage or as equal copies. */
  | { readonly kind: 'file'; readonly path: string }
  /** A URL whose server answers range requests. */
  | { readonly kind: 'http'; readonly url: string }
  /** An object of an S3-compatible store, read through each worker's own client. */
  | { readonly kind: 'object'; readonly bucket: string; readonly key: string }
  /** Bytes that workers make themselves, by a function of this name. */
  | { readonly kind: 'generator'; readonly name: string; readonly bytes: number };

/** An open source: `bytes` long, read in ranges. */
export interface SourceReader {
  readonly bytes: number;
  /** What changes with the content, where the source's server says it: an entity tag. */
  readonly tag?: string | undefined;
  /** The bytes from `from` to just before `to`, in pieces; fewer where the source is shorter than it was. */
  read(from: number, to: number, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Whether nothing hints that the source has changed since it was opened. */
  unchanged(): Promise<boolean>;
  close(): Promise<void>;
}

/** What a process may read. Everything else is refused, whatever a job names. */
export interface SourceAccess {
  /** Folders or files, absolute; links out of them are not followed. */
  readonly files?: readonly string[] | undefined;
  /** Beginnings of URLs. */
  readonly http?: readonly string[] | undefined;
  /** A client for objects, with beginnings of `bucket/key` that it may be asked for. */
  readonly objects?: { readonly client: ObjectClient; readonly allowed: readonly string[] } | undefined;
  /** Functions that make bytes, by name. */
  readonly generators?: Readonly<Record<string, LeafGenerator>> | undefined;
}

/**
 * Opens a source.
 *
 * @throws {RangeError} for one that this process may not read.
 * @throws {CambiumError} `SOURCE_CHANGED` for one that is not there.
 */
export async function openSource(reference: SourceReference, access: SourceAccess): Promise<SourceReader> {
  checkReference(reference);
  switch (reference.kind) {
    case 'file':
      return await openFile(reference.path, access.files ?? []);
    case 'http':
      return await openHttp(reference.url, access.http ?? []);
    case 'object':
      return await openObject(reference.bucket, reference.key, access.objects);
    case 'generator':
      return openGenerator(reference.name, reference.bytes, access.generators ?? {});
  }
}

function checkReference(reference: unknown): void {
  if (typeof reference !== 'object' || reference === null) {
    throw new TypeError(`source: expected an object, got ${reference === null ? 'null' : typeof reference}`);
  }
  const { kind } = reference as { readonly kind?: unknown };
  if (!['file', 'http', 'object', 'generator'].includes(kind as string)) {
    throw new RangeError(`source.kind: expected file, http, object or generator, got ${String(kind)}`);
  }
}

/** A source in messages. */
export function describeSource(reference: SourceReference): string {
  switch (reference.kind) {
    case 'file':
      return reference.path;
    case 'http':
      return reference.url;
    case 'object':
      return `${reference.bucket}/${reference.key}`;
    case 'generator':
      return `generator ${reference.name}`;
  }
}

/** Access to exactly this source, for the process whose user named it. */
export function accessTo(
  reference: SourceReference,
  { objects, generators }: { objects?: ObjectClient | undefined; generators?: SourceAccess['generators'] },
): SourceAccess {
  checkReference(reference);
  return {
    ...(reference.kind === 'file' && { files: [reference.path] }),
    ...(reference.kind === 'http' && { http: [reference.url] }),
    ...(reference.kind === 'object' &&
      objects && { objects: { client: objects, allowed: [`${reference.bucket}/${reference.key}`] } }),
    generators,
  };
}
