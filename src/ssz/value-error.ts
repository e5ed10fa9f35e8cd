/** What is wrong with a value, and where in it; becomes a `TypeError` or `RangeError` that names the place. */
export class ValueError extends Error {
  readonly kind: 'type' | 'range';
  readonly path: (string | number)[] = [];

  constructor(kind: 'type' | 'range', what: string) {
    super(what);
    this.kind = kind;
  }
}

/** For values of the wrong JavaScript type. */
export function wrongType(expected: string, got: unknown): ValueError {
  const name = got === null ? 'null' : Array.isArray(got) ? 'an array' : typeof got;
  return new ValueError('type', `expected ${expected}, got ${name}`);
}

/** Runs `work` on a part of a value, and adds the part's name to what is wrong in it. */
export function within<T>(part: string | number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ValueError) error.path.unshift(part);
    throw error;
  }
}

/** The place as code would write it: `value.body.slots[3]`. */
export function placeOf(error: ValueError): string {
  return error.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
}

/** Runs `work`, and names the value in what is wrong with it. */
export function naming<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const message = `${name}${placeOf(error)}: ${error.message}`;
    throw error.kind === 'type' ? new TypeError(message) : new RangeError(message);
  }
}
