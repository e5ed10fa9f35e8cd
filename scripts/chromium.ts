/** A headless Chromium with a WebGPU adapter, from npm alone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import { makeOnce, unpack } from './archive.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const packed = join(root, 'node_modules/@sparticuz/chromium/bin');

/** What makes WebGPU appear on the software adapter, and nothing more. */
const WITH_WEBGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

/**
 * Unpacks the packaged Chromium once.
 *
 * SwiftShader has to lie beside the program: without it there is no adapter. The shared libraries that a minimal
 * system lacks come from a third archive.
 */
function unpackChromium(): { program: string; libraries: string } {
  const folder = join(root, '.cache/chromium');
  const libraries = join(root, '.cache/chromium-libraries');
  makeOnce(libraries, (draft) => unpack(join(packed, 'al2023.tar.br'), draft));
  makeOnce(folder, (draft) => {
    unpack(join(packed, 'swiftshader.tar.br'), draft);
    const program = brotliDecompressSync(readFileSync(join(packed, 'chromium.br')));
    writeFileSync(join(draft, 'chromium'), program, { mode: 0o755 });
  });
  return { program: join(folder, 'chromium'), libraries: join(libraries, 'lib') };
}

/**
 * Starts it; elsewhere than on Linux x64 an installed Chrome, with its own adapter.
 *
 * @param options.webgpu whether pages find a WebGPU adapter; default true.
 */
export async function launchChromium({ webgpu = true }: { webgpu?: boolean } = {}): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const args = webgpu ? ['--enable-unsafe-webgpu'] : ['--disable-gpu'];
    return await chromium.launch({ channel: 'chrome', args });
  }
  const { program, libraries } = unpackChromium();
  const path = [libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return await chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', ...(webgpu ? WITH_WEBGPU : [])],
    env: { ...process.env, LD_LIBRARY_PATH: path } as Record<string, string>,
  });
}
