/** What a run is told to do without: how the test suite reaches every path on one machine. */

declare const process: { readonly env?: Readonly<Record<string, string | undefined>> } | undefined;

/** Words of an environment variable that holds a comma list; none where there is no environment, or no leave to read it. */
export function modeWords(variable: 'CAMBIUM_CPU' | 'CAMBIUM_GPU'): ReadonlySet<string> {
  let text: string | undefined;
  try {
    text = typeof process === 'object' ? process?.env?.[variable] : undefined;
  } catch {
    // Deno throws unless its user lets the program read the environment.
  }
  return new Set(text?.split(','));
}
