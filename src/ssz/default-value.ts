import type { SszType, SszValue } from './types.js';

/**
 * The type's default: 0, `false`, zero bytes, empty lists, the first option of a union.
 *
 * @throws {RangeError} for a CompatibleUnion, or a type that needs one: it has no default.
 */
export function defaultValue(type: SszType): SszValue {
  switch (type.kind) {
    case 'uint':
      return type.fixedBytes <= 4 ? 0 : 0n;
    case 'boolean':
      return false;
    case 'bytes':
      return new Uint8Array(type.fixedBytes ?? 0);
    case 'bits':
      return Array.from({ length: type.extent.of === 'vector' ? type.extent.length : 0 }, () => false);
    case 'sequence': {
      const { element, extent } = type;
      return Array.from({ length: extent.of === 'vector' ? extent.length : 0 }, () => defaultValue(element));
    }
    case 'container':
      return Object.fromEntries(type.fields.map((field) => [field.name, defaultValue(field.type)]));
    case 'union':
      if (type.compatible) throw new RangeError('type: a CompatibleUnion has no default');
      return { selector: 0, data: defaultValue(type.options.get(0)!) };
    default:
      return null;
  }
}
