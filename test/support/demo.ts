/** The built page in a headless Chromium, served as `npm run demo` serves it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { build, type PreviewServer, preview } from 'vite';
import { expect } from 'vitest';
import { launchChromium } from '../../scripts/chromium.ts';

const configFile = fileURLToPath(new URL('../../demo/vite.config.ts', import.meta.url));

/** How the page is looked at. */
export interface View {
  readonly width?: number;
  readonly dark?: boolean;
  /** Default true, as `npm run demo` has it. */
  readonly isolated?: boolean;
}

/** A page that is open, and what it complained of. */
export interface OpenPage {
  readonly page: Page;
  /** Errors and warnings of page and worker, and files that did not come. */
  readonly complaints: readonly string[];
}

export interface Demo {
  /** Opens the page and waits until it knows its machine. */
  open(view?: View): Promise<OpenPage>;
  close(): Promise<void>;
}

/** What Chromium itself says where there is no adapter. */
const NO_ADAPTER = 'Failed to create WebGPU Context Provider';

/** The start of a script that adds up layout shifts which no input has caused. */
const WATCH_SHIFTS = `globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** Builds the page, and starts server and browser. */
export async function openDemo(options: { readonly webgpu?: boolean } = {}): Promise<Demo> {
  const outDir = mkdtempSync(join(tmpdir(), 'cambium-demo-'));
  const shared = { configFile, logLevel: 'error' } as const;
  await build({ ...shared, build: { outDir } });
  const server = await preview({ ...shared, build: { outDir }, preview: { port: 0 } });
  let browser: Browser;
  try {
    browser = await launchChromium(options);
  } catch (error) {
    await server.close();
    throw error;
  }
  return {
    open: (view = {}) => openPage(server, browser, view),
    async close() {
      await browser.close();
      await server.close();
      rmSync(outDir, { recursive: true });
    },
  };
}

async function openPage(server: PreviewServer, browser: Browser, view: View): Promise<OpenPage> {
  const { width = 1440, dark = false, isolated = true } = view;
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isComplaint = ['error', 'warning'].includes(message.type()) && message.text() !== NO_ADAPTER;
    if (isComplaint) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(request.url()));
  if (!isolated) await page.route('**', withoutIsolation);
  await page.addInitScript(WATCH_SHIFTS);
  await page.goto(server.resolvedUrls!.local[0]!);
  await page.waitForSelector('#notice:not([data-kind=pending])');
  expect(await page.evaluate('crossOriginIsolated')).toBe(isolated);
  return { page, complaints };
}

type Handler = Parameters<Page['route']>[1];

/** Takes the headers away that isolate the page. */
const withoutIsolation: Handler = async (route) => {
  const response = await route.fetch();
  const headers = Object.entries(response.headers()).filter(([name]) => !name.startsWith('cross-origin-'));
  await route.fulfill({ response, headers: Object.fromEntries(headers) });
};

/** Layout shifts so far, as browsers add them up: 0 is none, below 0.1 counts as good. */
export async function layoutShifts(page: Page): Promise<number> {
  // Entries are queued behind their frame.
  await page.waitForTimeout(100);
  return await page.evaluate('globalThis.shifts');
}

/** The text of the first element that fits a selector. */
export async function textOf(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().textContent()) ?? '';
}

/** Builds a tree with what the form says now, to the end; what the page says of it. */
export async function growTree(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Build', exact: true }).click();
  await page.waitForSelector('#build:enabled');
  return await textOf(page, '#grow-status');
}
