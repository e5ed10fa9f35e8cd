/** Compatible Merkleization (EIP-8016): whether the same path leads to the same kind of leaf in two types. */
import type { BytesType, ContainerType, Extent, SequenceType, SszType } from './types.js';

const BYTE: SszType = { kind: 'uint', fixedBytes: 1 };

/** Whether two types share their Merkleization. */
export function areCompatible(a: SszType, b: SszType): boolean {
  if (a === b) return true;
  const [x, y] = [asSequence(a), asSequence(b)];
  if (x.kind === 'uint' && y.kind === 'uint') return x.fixedBytes === y.fixedBytes;
  if (x.kind === 'boolean') return y.kind === 'boolean';
  if (x.kind === 'bits' && y.kind === 'bits') return sameExtent(x.extent, y.extent);
  if (x.kind === 'sequence' && y.kind === 'sequence') {
    return sameExtent(x.extent, y.extent) && areCompatible(x.element, y.element);
  }
  if (x.kind === 'container' && y.kind === 'container') return containersAgree(x, y);
  if (x.kind === 'union' && y.kind === 'union' && x.compatible && y.compatible) {
    return [...x.options.values()].every((one) =>
      [...y.options.values()].every((two) => areCompatible(one, two)),
    );
  }
  return false;
}

/** Bytes are a sequence of uint8 to a tree. */
function asSequence(type: SszType): Exclude<SszType, BytesType> {
  if (type.kind !== 'bytes') return type;
  return { kind: 'sequence', element: BYTE, extent: type.extent } satisfies SequenceType;
}

function sameExtent(a: Extent, b: Extent): boolean {
  if (a.of === 'vector') return b.of === 'vector' && a.length === b.length;
  if (a.of === 'list') return b.of === 'list' && a.limit === b.limit;
  return b.of === 'progressive';
}

function containersAgree(a: ContainerType, b: ContainerType): boolean {
  if (!a.active !== !b.active) return false;
  if (!a.active && a.fields.length !== b.fields.length) return false;
  // A shared position must hold the same field, and a shared name the same position.
  return a.fields.every((one) =>
    b.fields.every(
      (two) =>
        (one.position === two.position) === (one.name === two.name) &&
        (one.position !== two.position || areCompatible(one.type, two.type)),
    ),
  );
}
