/** Takes the picture of the page that README shows: `npx tsx scripts/screenshot.ts`, after `npm run build`. */
import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';
import { launchChromium } from './chromium.ts';

const configFile = fileURLToPath(new URL('../demo/vite.config.ts', import.meta.url));
const picture = fileURLToPath(new URL('../docs/page.jpg', import.meta.url));

await build({ configFile, logLevel: 'error' });
const server = await preview({ configFile, logLevel: 'error', preview: { port: 0 } });
const browser = await launchChromium();
try {
  const page = await browser.newPage({
    viewport: { width: 1200, height: 1180 },
    reducedMotion: 'reduce',
  });
  await page.goto(server.resolvedUrls!.local[0]!);
  await page.waitForSelector('#notice:not([data-kind=pending])');
  await page.getByRole('button', { name: 'Build', exact: true }).click();
  await page.waitForSelector('#build:enabled');
  await page.getByRole('spinbutton', { name: 'Leaf' }).fill('23456');
  await page.getByRole('button', { name: 'Prove and verify' }).click();
  await page.waitForSelector('[data-verdict=true]');
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: picture, type: 'jpeg', quality: 80 });
} finally {
  await browser.close();
  await server.close();
}
