/** Miden's SDK: RPO in the layout with the capacity first. */
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { peer } from './contenders.ts';

interface Freed {
  free(): void;
}

/** What is used of it. */
export interface MidenSdk {
  readonly Felt: new (value: bigint) => Freed;
  readonly FeltArray: new (elements: readonly Freed[]) => Freed;
  readonly Rpo256: { hashElements(elements: Freed): Freed & { serialize(): Uint8Array } };
}

export const MIDEN_SDK = '@miden-sdk/miden-sdk 0.13.3';

/** Loads its WASM; it is made for browsers and fetches its bytes, which Node's `fetch` does not do for files. */
export async function midenSdk(): Promise<MidenSdk> {
  const { fetch } = globalThis;
  globalThis.fetch = async (url) =>
    new Response(await readFile(new URL(String(url))), { headers: { 'content-type': 'application/wasm' } });
  try {
    const entry = pathToFileURL(peer.resolve('@miden-sdk/miden-sdk'));
    const { default: load } = (await import(new URL('wasm.js', entry).href)) as {
      default: () => Promise<MidenSdk>;
    };
    return await load();
  } finally {
    globalThis.fetch = fetch;
  }
}

/** The SDK's digest of elements. */
export function midenRpo({ Felt, FeltArray, Rpo256 }: MidenSdk, elements: readonly bigint[]): Uint8Array {
  const array = new FeltArray(elements.map((element) => new Felt(element)));
  const word = Rpo256.hashElements(array);
  try {
    return word.serialize();
  } finally {
    word.free();
    array.free();
  }
}
