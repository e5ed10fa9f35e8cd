/** The SSZ vector files. */
import { readFileSync } from 'node:fs';
import type { JsonValue } from '../../src/ssz/json.ts';
import { type SchemaNames, typeFromSchema } from '../../src/ssz/schema.ts';
import type { SszType } from '../../src/ssz/types.ts';

/** An encoding that must be accepted. */
export interface ValidCase {
  readonly name: string;
  readonly type: unknown;
  readonly serialized: string;
  readonly root: string;
  readonly value?: JsonValue;
}

/** An encoding that must be refused, or whose type must be. */
export interface InvalidCase {
  readonly name: string;
  readonly type: unknown;
  readonly serialized: string;
}

export interface TypedCases {
  readonly structs?: SchemaNames;
  readonly valid: readonly ValidCase[];
  readonly invalid: readonly InvalidCase[];
}

/** The files of typed encodings. */
export const TYPED_FILES = [
  'ssz_generic_basic',
  'ssz_generic_containers',
  'ssz_generic_progressive',
  'ssz_types',
] as const;

export function loadSsz<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../vectors/ssz/${name}.json`, import.meta.url), 'utf8')) as T;
}

/** The stable containers of the vectors are a withdrawn draft that the library does not have. */
export const isWithdrawn = ({ type }: { readonly type: unknown }): boolean =>
  (type as { kind: string }).kind === 'stable_container';

const types = new Map<string, SszType>();

/** The type of a schema; equal schemas give one type. */
export function typeOf(schema: unknown, names: SchemaNames = {}): SszType {
  const key = JSON.stringify([schema, names]);
  const known = types.get(key) ?? typeFromSchema(schema, names);
  types.set(key, known);
  return known;
}
