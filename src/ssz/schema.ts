/**
 * Types as JSON, for files and the command line.
 *
 * `{ "kind": "list", "elem": { "kind": "uint", "bytes": 8 }, "limit": 1024 }`; limits above 2^53 - 1 are decimal strings.
 */
import { CambiumError } from '../errors.js';
import {
  bitlist,
  bitvector,
  boolean,
  byteList,
  byteVector,
  compatibleUnion,
  container,
  list,
  none,
  progressiveBitlist,
  progressiveByteList,
  progressiveContainer,
  progressiveList,
  uint8,
  uint16,
  uint32,
  uint64,
  uint128,
  uint256,
  union,
  vector,
} from './construct.js';
import type { SszType, UintType } from './types.js';

/** Types by name, for `{ "kind": "ref", "name": … }`. */
export type SchemaNames = Readonly<Record<string, unknown>>;

const UINTS = new Map<unknown, UintType>(
  [uint8, uint16, uint32, uint64, uint128, uint256].map((type) => [type.fixedBytes, type]),
);
/** Deeper types come from no real schema, and would overflow the stack. */
const MAX_NESTING = 100;

type Node = Readonly<Record<string, unknown>>;

/**
 * The type that a schema describes.
 *
 * Kinds: `uint` (bytes), `boolean`, `vector` (elem, length), `list` (elem, limit), `bytevector` and `bitvector` (length),
 * `bytelist` and `bitlist` (limit), `container` (fields: pairs of name and type), `union` (options: array), `none`,
 * `compatible_union` (options: object by selector), `progressive_list` (elem), `progressive_bytelist`,
 * `progressive_bitlist`, `progressive_container` (active_fields, fields), `ref` (name, in `names`).
 *
 * @throws {CambiumError} `MALFORMED` for a schema that describes no legal type; the message names the place in it.
 */
export function typeFromSchema(schema: unknown, names: SchemaNames = {}): SszType {
  return new Reader(names).read(schema, 'schema', 0);
}

class Reader {
  readonly #names: SchemaNames;

  constructor(names: SchemaNames) {
    this.#names = names;
  }

  read(schema: unknown, place: string, depth: number): SszType {
    if (typeof schema !== 'object' || schema === null || depth > MAX_NESTING) {
      throw malformed(place, depth > MAX_NESTING ? 'nested too deeply' : 'expected an object');
    }
    try {
      return this.#build(schema as Node, place, depth);
    } catch (error) {
      // What a constructor refuses is the schema's fault here.
      if (error instanceof CambiumError) throw error;
      throw new CambiumError('MALFORMED', `${place}: ${(error as Error).message}`, { cause: error });
    }
  }

  #build(node: Node, place: string, depth: number): SszType {
    const element = (): SszType => this.read(node.elem, `${place}.elem`, depth + 1);
    const fields = (): Record<string, SszType> => this.#fields(node.fields, `${place}.fields`, depth);
    const limit = (): bigint => count(node.limit, `${place}.limit`);
    const length = (): number => Number(count(node.length, `${place}.length`));
    switch (node.kind) {
      case 'uint': {
        const type = UINTS.get(node.bytes);
        if (!type) throw malformed(`${place}.bytes`, `expected ${[...UINTS.keys()].join(', ')}`);
        return type;
      }
      case 'boolean':
        return boolean;
      case 'none':
        return none;
      case 'bytevector':
        return byteVector(length());
      case 'bytelist':
        return byteList(limit());
      case 'bitvector':
        return bitvector(length());
      case 'bitlist':
        return bitlist(limit());
      case 'vector':
        return vector(element(), length());
      case 'list':
        return list(element(), limit());
      case 'container':
        return container(fields());
      case 'progressive_list':
        return progressiveList(element());
      case 'progressive_bytelist':
        return progressiveByteList;
      case 'progressive_bitlist':
        return progressiveBitlist;
      case 'progressive_container':
        return progressiveContainer(marks(node.active_fields, `${place}.active_fields`), fields());
      case 'union':
        return union(this.#options(node.options, `${place}.options`, depth).map(([, type]) => type));
      case 'compatible_union':
        return compatibleUnion(
          Object.fromEntries(this.#options(node.options, `${place}.options`, depth)) as Record<
            number,
            SszType
          >,
        );
      case 'ref':
        return this.#named(node.name, place, depth);
      default:
        throw malformed(`${place}.kind`, `unknown: ${JSON.stringify(node.kind)}`);
    }
  }

  #fields(value: unknown, place: string, depth: number): Record<string, SszType> {
    if (!Array.isArray(value)) throw malformed(place, 'expected an array of pairs');
    const fields = new Map<string, SszType>();
    value.forEach((pair: unknown, i) => {
      const [name, type] = Array.isArray(pair) ? (pair as unknown[]) : [];
      if (typeof name !== 'string') throw malformed(`${place}[${i}]`, 'expected a name and a type');
      if (fields.has(name)) throw malformed(`${place}[${i}]`, `a second field ${name}`);
      fields.set(name, this.read(type, `${place}.${name}`, depth + 1));
    });
    return Object.fromEntries(fields);
  }

  #options(value: unknown, place: string, depth: number): [string, SszType][] {
    if (typeof value !== 'object' || value === null) throw malformed(place, 'expected options');
    return Object.entries(value).map(([key, type]) => [key, this.read(type, `${place}.${key}`, depth + 1)]);
  }

  #named(name: unknown, place: string, depth: number): SszType {
    if (typeof name !== 'string' || !Object.hasOwn(this.#names, name)) {
      throw malformed(`${place}.name`, `no type of the name ${JSON.stringify(name)}`);
    }
    return this.read(this.#names[name], name, depth + 1);
  }
}

function malformed(place: string, what: string): CambiumError {
  return new CambiumError('MALFORMED', `${place}: ${what}`);
}

function count(value: unknown, place: string): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  if (typeof value === 'string' && /^[0-9]{1,20}$/.test(value)) return BigInt(value);
  throw malformed(place, 'expected a whole number, above 2^53 - 1 as a decimal string');
}

function marks(value: unknown, place: string): (0 | 1)[] {
  if (Array.isArray(value) && value.every((mark) => mark === 0 || mark === 1)) return value;
  throw malformed(place, 'expected an array of 0 and 1');
}
