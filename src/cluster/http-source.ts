/** Leaves behind a URL, read by range requests. */
import { CambiumError } from '../errors.js';
import type { SourceReader } from './source.js';

/**
 * @throws {RangeError} for a URL that begins with none of `allowed`, or that holds a password.
 * @throws {CambiumError} `SOURCE_CHANGED` where the server does not give it in ranges.
 */
export async function openHttp(url: string, allowed: readonly string[]): Promise<SourceReader> {
  const target = parse(url);
  if (!allowed.some((prefix) => isBelow(target, prefix))) {
    throw new RangeError(`source: ${url} is none of the URLs that may be read here`);
  }
  const { bytes, tag } = await look(target);
  return {
    bytes,
    tag,
    async *read(from, to, signal) {
      if (from >= to) return;
      const response = await request(target, `bytes=${from}-${to - 1}`, signal);
      checkRange(response, target, from, bytes);
      if (entityTag(response) !== tag) throw changed(target, 'its entity tag is another');
      yield* response.body as unknown as AsyncIterable<Uint8Array>;
    },
    async unchanged() {
      const now = await look(target);
      return now.bytes === bytes && now.tag === tag;
    },
    async close() {},
  };
}

function parse(url: string): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target?.protocol !== 'https:' && target?.protocol !== 'http:') {
    throw new RangeError(`source: expected an http or https URL, got ${JSON.stringify(url)}`);
  }
  if (target.username || target.password) {
    throw new RangeError('source: a URL with a password would leave it in Redis');
  }
  return target;
}

/** Same host, and a path below: `https://host/a` does not allow `https://host/abc`. */
function isBelow(target: URL, prefix: string): boolean {
  const root = URL.canParse(prefix) ? new URL(prefix) : undefined;
  if (root?.origin !== target.origin) return false;
  if (target.href === root.href) return true;
  const folder = root.pathname.endsWith('/') ? root.pathname : `${root.pathname}/`;
  return target.pathname.startsWith(folder);
}

async function look(target: URL): Promise<{ bytes: number; tag: string | undefined }> {
  const response = await request(target, 'bytes=0-0');
  const total = checkRange(response, target, 0);
  await response.body?.cancel();
  return { bytes: total, tag: entityTag(response) };
}

async function request(target: URL, range: string, signal?: AbortSignal): Promise<Response> {
  const headers = { range, 'accept-encoding': 'identity' };
  // A redirection could lead out of what is allowed.
  const response = await fetch(target, { headers, redirect: 'error', ...(signal && { signal }) });
  // 416: empty, or shorter than it was.
  if (response.status === 206 || response.status === 416) return response;
  await response.body?.cancel();
  if (response.status === 200) {
    throw changed(target, 'the server does not answer range requests');
  }
  // The server's trouble may pass, so this is no reason to give up.
  throw new Error(`${target.href}: status ${response.status}`);
}

/** The whole length, from an answer that begins where it should. */
function checkRange(response: Response, target: URL, from: number, bytes?: number): number {
  const field = response.headers.get('content-range') ?? '';
  const empty = /^bytes \*\/(\d+)$/.exec(field);
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(field) ?? [];
  const length = Number(empty?.[1] ?? total);
  if (!Number.isSafeInteger(length) || (!empty && Number(first) !== from)) {
    throw changed(target, `the server answers with the range ${JSON.stringify(field)}`);
  }
  if (bytes !== undefined && (empty || length !== bytes)) {
    throw changed(target, `it had ${bytes} bytes and has ${length}`);
  }
  return length;
}

/** A strong entity tag; weak ones do not promise equal bytes. */
function entityTag(response: Response): string | undefined {
  const tag = response.headers.get('etag');
  return tag && !tag.startsWith('W/') ? tag : undefined;
}

function changed(target: URL, why: string): CambiumError {
  return new CambiumError('SOURCE_CHANGED', `${target.href}: ${why}`);
}
