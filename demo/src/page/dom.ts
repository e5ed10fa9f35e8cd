/** Finding and making elements. */

/**
 * The element with this id.
 *
 * @throws {Error} when the page has none of this kind.
 */
export function byId<E extends Element>(id: string, kind: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`#${id}: no ${kind.name} on the page`);
  return found;
}

/** The first element below `parent` that fits a selector. */
export function within<E extends Element>(parent: ParentNode, selector: string, kind: new () => E): E {
  const found = parent.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`${selector}: no ${kind.name} on the page`);
  return found;
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

function fill<E extends Element>(
  element: E,
  attributes: Attributes,
  children: readonly (Node | string)[],
): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}

/** A new element with attributes and children. */
export function make<N extends keyof HTMLElementTagNameMap>(
  name: N,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[N] {
  return fill(document.createElement(name), attributes, children);
}

/** A new element of an SVG drawing. */
export function makeSvg<N extends keyof SVGElementTagNameMap>(
  name: N,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[N] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

/** Has the browser save a text as a file. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  make('a', { href: url, download: name }).click();
  // The browser reads it after this task.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
