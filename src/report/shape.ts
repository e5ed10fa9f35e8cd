/** Checks that a value read from JSON has a shape, and says where it has not. */
import { CambiumError } from '../errors.js';

/** Throws `MALFORMED` when a value at a place is not what it should be. */
export type Shape = (value: unknown, at: string) => void;

function refuse(at: string, expected: string, value: unknown): never {
  const got = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  throw new CambiumError('MALFORMED', `${at}: expected ${expected}, got ${got}`);
}

export const text: Shape = (value, at) => {
  if (typeof value !== 'string') refuse(at, 'a text', value);
};

export const flag: Shape = (value, at) => {
  if (typeof value !== 'boolean') refuse(at, 'true or false', value);
};

/** A number that is not negative. */
export const amount: Shape = (value, at) => {
  if (typeof value !== 'number' || !(value >= 0)) refuse(at, 'a number, 0 or more', value);
};

export const oneOf =
  (...values: readonly string[]): Shape =>
  (value, at) => {
    if (!values.includes(value as string)) refuse(at, values.join(' or '), value);
  };

export const list =
  (item: Shape): Shape =>
  (value, at) => {
    if (!Array.isArray(value)) refuse(at, 'a list', value);
    for (const [i, one] of value.entries()) item(one, `${at}[${i}]`);
  };

/** An object whose members are all of one shape. */
export const record =
  (item: Shape): Shape =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(at, 'an object', value);
    for (const [name, one] of Object.entries(value)) item(one, `${at}.${name}`);
  };

/** An object with these members; others are ignored. */
export const object =
  (required: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(at, 'an object', value);
    const members = value as Record<string, unknown>;
    for (const [name, shape] of Object.entries(required)) shape(members[name], `${at}.${name}`);
    for (const [name, shape] of Object.entries(optional)) {
      if (members[name] !== undefined) shape(members[name], `${at}.${name}`);
    }
  };
