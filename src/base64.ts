/**
 * Bytes of a base64 text: the form in which WASM travels inside ES modules.
 *
 * @throws {DOMException} `InvalidCharacterError` when the text is no base64.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
