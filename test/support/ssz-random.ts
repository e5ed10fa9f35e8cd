/** Random SSZ types and values, the same in every run of a seed. */
import { createHash } from 'node:crypto';
import * as ssz from '../../src/ssz/index.ts';

/** A whole number from 0 to below `bound`. */
export type Random = (bound: number) => number;

/** Numbers out of a seed. */
export function randomOf(seed: string): Random {
  let block = Buffer.alloc(0);
  let at = 0;
  let counter = 0;
  return (bound) => {
    if (at + 4 > block.length) {
      block = createHash('sha512').update(`${seed} ${counter++}`).digest();
      at = 0;
    }
    at += 4;
    return Math.floor((block.readUInt32LE(at - 4) / 2 ** 32) * bound);
  };
}

const UINTS = [ssz.uint8, ssz.uint16, ssz.uint32, ssz.uint64, ssz.uint128, ssz.uint256];
const LIMITS = [1, 2, 3, 5, 31, 32, 33, 64, 257, 1024, 2 ** 20, 2 ** 40];

/** A type, nested at most `depth` times. */
export function randomType(random: Random, depth: number): ssz.SszType {
  const pick = <T>(items: readonly T[]): T => items[random(items.length)]!;
  const size = () => 1 + random(40);
  const inner = () => randomType(random, depth - 1);
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, inner()]));
  const flat: (() => ssz.SszType)[] = [
    () => pick(UINTS),
    () => ssz.boolean,
    () => ssz.byteVector(size() * (1 + random(3))),
    () => ssz.byteList(pick(LIMITS)),
    () => ssz.bitvector(size() * (1 + random(20))),
    () => ssz.bitlist(pick(LIMITS)),
    () => ssz.progressiveByteList,
    () => ssz.progressiveBitlist,
  ];
  const nested: (() => ssz.SszType)[] = [
    () => ssz.vector(inner(), size()),
    () => ssz.list(inner(), pick(LIMITS)),
    () => ssz.progressiveList(inner()),
    () => ssz.container(fields(1 + random(9))),
    () => ssz.union([ssz.none, inner(), inner()]),
    () => ssz.progressiveContainer([1, 0, 0, 1, 1], fields(3)),
  ];
  return pick(depth > 0 && random(4) > 0 ? nested : flat)();
}

/** A value; lists stay short. */
export function randomValue(random: Random, type: ssz.SszType): ssz.SszValue {
  switch (type.kind) {
    case 'uint': {
      const bytes = randomBytes(random, type.fixedBytes);
      return ssz.deserialize(type, random(4) ? bytes : bytes.fill(random(2) ? 255 : 0));
    }
    case 'boolean':
      return random(2) === 1;
    case 'bytes':
      return randomBytes(random, countOf(random, type.extent, 70));
    case 'bits':
      return Array.from({ length: countOf(random, type.extent, 600) }, () => random(2) === 1);
    case 'sequence':
      return Array.from({ length: countOf(random, type.extent, 12) }, () =>
        randomValue(random, type.element),
      );
    case 'container':
      return Object.fromEntries(type.fields.map((field) => [field.name, randomValue(random, field.type)]));
    case 'union': {
      const selectors = [...type.options.keys()];
      const selector = selectors[random(selectors.length)]!;
      return { selector, data: randomValue(random, type.options.get(selector)!) };
    }
    default:
      return null;
  }
}

function countOf(random: Random, extent: ssz.Extent, most: number): number {
  if (extent.of === 'vector') return extent.length;
  const limit = extent.of === 'list' ? Number(extent.limit) : most;
  return random(Math.min(limit, most) + 1);
}

function randomBytes(random: Random, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => random(256));
}
