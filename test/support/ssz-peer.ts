/** Our SSZ types as those of `@chainsafe/ssz`. */
import * as peer from '@chainsafe/ssz';
import type * as ssz from '../../src/ssz/index.ts';
import { isBasic } from '../../src/ssz/types.ts';

// The package's generics describe values that are never looked into here.
// biome-ignore lint/suspicious/noExplicitAny: see above
type PeerType = any;

/** The type that reads the same bytes. */
export function peerType(type: ssz.SszType): PeerType {
  switch (type.kind) {
    case 'uint':
      return new peer.UintBigintType(type.fixedBytes as 8);
    case 'boolean':
      return new peer.BooleanType();
    case 'bytes':
      return sized(type.extent, {
        vector: (n) => new peer.ByteVectorType(n),
        list: (n) => new peer.ByteListType(n),
        progressive: () => new peer.ProgressiveByteListType(),
      });
    case 'bits':
      return sized(type.extent, {
        vector: (n) => new peer.BitVectorType(n),
        list: (n) => new peer.BitListType(n),
        progressive: () => new peer.ProgressiveBitListType(),
      });
    case 'sequence':
      return sequence(type);
    case 'container':
      return container(type);
    case 'union': {
      const options = [...type.options.values()].map(peerType);
      return new peer.UnionType(options);
    }
    default:
      return new peer.NoneType();
  }
}

function sized(
  extent: ssz.Extent,
  make: Readonly<Record<ssz.Extent['of'], (size: number) => PeerType>>,
): PeerType {
  const size = extent.of === 'vector' ? extent.length : extent.of === 'list' ? Number(extent.limit) : 0;
  return make[extent.of](size);
}

function sequence({ element, extent }: ssz.SequenceType): PeerType {
  const inner = peerType(element);
  if (isBasic(element)) {
    return sized(extent, {
      vector: (n) => new peer.VectorBasicType(inner, n),
      list: (n) => new peer.ListBasicType(inner, n),
      progressive: () => new peer.ProgressiveListBasicType(inner),
    });
  }
  return sized(extent, {
    vector: (n) => new peer.VectorCompositeType(inner, n),
    list: (n) => new peer.ListCompositeType(inner, n),
    progressive: () => new peer.ProgressiveListCompositeType(inner),
  });
}

function container({ fields, active }: ssz.ContainerType): PeerType {
  const types = Object.fromEntries(fields.map(({ name, type }) => [name, peerType(type)]));
  return active ? new peer.ProgressiveContainerType(types, [...active]) : new peer.ContainerType(types);
}
