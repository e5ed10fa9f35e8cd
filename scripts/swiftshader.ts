/** The software Vulkan driver that GPU tests run on where there is no GPU. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeOnce, unpack } from './archive.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Folder of the driver and its loader, unpacked at first use. */
export function swiftShaderFolder(): string {
  const folder = join(root, '.cache/swiftshader');
  const archive = join(root, 'node_modules/@sparticuz/chromium/bin/swiftshader.tar.br');
  makeOnce(folder, (draft) => unpack(archive, draft));
  return folder;
}

/**
 * Environment in which Dawn, Deno and Chromium find SwiftShader, and no other Vulkan driver.
 *
 * It has to be set before a process starts, because the Vulkan loader is looked up once. The packaged binaries are
 * for Linux on x64; elsewhere the environment stays as it is and the machine's own adapter is used.
 */
export function swiftShaderEnv(): NodeJS.ProcessEnv {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { ...process.env };
  const folder = swiftShaderFolder();
  const libraries = [folder, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return {
    ...process.env,
    VK_DRIVER_FILES: join(folder, 'vk_swiftshader_icd.json'),
    LD_LIBRARY_PATH: libraries,
  };
}
