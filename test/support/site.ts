/** The consumer's site in a headless Chromium, under several policies. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../../scripts/chromium.ts';
import { consumer } from './consumer.ts';

const CSP = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:";

/** Headers of each policy. `worker-src 'self'` stands for the site's own worker. */
const POLICIES = {
  plain: {},
  isolated: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
  strict: { 'Content-Security-Policy': `${CSP}; worker-src 'self' blob:` },
  'no-blob-workers': { 'Content-Security-Policy': `${CSP}; worker-src 'self'` },
} as const;

export type Policy = keyof typeof POLICIES;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** Has a job done in a page or in its dedicated worker; `jobs.ts` and `page-jobs.ts` say which there are. */
export type RunJob = <T>(where: 'page' | 'worker', name: string, args?: unknown) => Promise<T>;

export interface Site {
  /** Opens the page under a policy; it stays open until the site is closed. */
  open(policy: Policy): Promise<RunJob>;
  /** Loads another page of the project to its end: names and texts of all files that it asked for. */
  loadedBy(page: 'size'): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

/** Serves the project's built pages on a free port: `/POLICY/PAGE/FILE`. */
async function serve(): Promise<Server> {
  const project = consumer();
  const server = createServer((request, response) => {
    const [, policy = '', page = '', ...path] = new URL(request.url!, 'http://localhost').pathname.split('/');
    const name = path.join('/') || 'index.html';
    let content: Buffer;
    try {
      content = readFileSync(join(project, page, 'built', name));
    } catch {
      response.writeHead(404).end();
      return;
    }
    const headers = POLICIES[policy as Policy];
    response.writeHead(200, {
      'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
      ...headers,
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Starts server and browser. */
export async function openSite(): Promise<Site> {
  const server = await serve();
  let browser: Browser;
  try {
    browser = await launchChromium();
  } catch (error) {
    server.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  return {
    async open(policy) {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${port}/${policy}/site/`);
      await page.waitForFunction('globalThis.site');
      return async (where, name, args) =>
        await page.evaluate(
          ([where, name, args]) =>
            (globalThis as unknown as { site: Record<string, (name: string, args: unknown) => never> }).site[
              where
            ]!(name, args),
          [where, name, args] as const,
        );
    },
    async loadedBy(name) {
      const page = await browser.newPage();
      const files = new Map<string, Promise<string>>();
      page.on('response', (response) => files.set(new URL(response.url()).pathname, response.text()));
      const said = page.waitForEvent('console');
      await page.goto(`http://127.0.0.1:${port}/plain/${name}/`);
      await said;
      await page.close();
      return new Map(await Promise.all([...files].map(async ([path, text]) => [path, await text] as const)));
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
