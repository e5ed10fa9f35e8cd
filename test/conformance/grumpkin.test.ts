import { weierstrass } from '@noble/curves/abstract/weierstrass.js';
import { expect, it } from 'vitest';
import { fr } from '../../src/field/bn254.ts';
import {
  addPoints,
  GRUMPKIN_ORDER,
  type GrumpkinSum,
  multiplyPoint,
  negatePoint,
} from '../../src/field/grumpkin.ts';
import { DATA_DOMAIN, generators } from '../../src/hash/pedersen-generators.ts';

const [g] = generators(DATA_DOMAIN, 0, 1);
const Peer = weierstrass({
  p: fr.modulus,
  n: GRUMPKIN_ORDER,
  h: 1n,
  a: 0n,
  b: fr.modulus - 17n,
  Gx: g!.x,
  Gy: g!.y,
});
type PeerPoint = InstanceType<typeof Peer>;

const peer = (sum: GrumpkinSum): PeerPoint => (sum ? Peer.fromAffine(sum) : Peer.ZERO);
const own = (point: PeerPoint): GrumpkinSum => (point.is0() ? undefined : point.toAffine());

/** Scalars below the order: the ends, powers of two and their neighbours, and what a fixed multiplier makes of them. */
const scalars = [0n, 1n, 2n, 3n, 64n, 127n, 128n, 200n, 253n]
  .flatMap((bits) => [(1n << bits) - 1n, 1n << bits, 0x9e3779b97f4a7c15n ** 5n * (1n << bits)])
  .concat([fr.modulus - 1n, GRUMPKIN_ORDER - 1n, GRUMPKIN_ORDER - 2n])
  .map((scalar) => scalar % GRUMPKIN_ORDER);

it('multiples are those of another library', () => {
  for (const scalar of scalars) {
    expect(multiplyPoint(g!, scalar), `${scalar}`).toEqual(own(peer(g).multiplyUnsafe(scalar)));
  }
});

it('sums are those of another library: equal, opposite, the identity, and others', () => {
  const points = scalars.slice(0, 9).map((scalar) => multiplyPoint(g!, scalar));
  const all = [...points, ...points.map((point) => point && negatePoint(point))];
  for (const a of all) {
    for (const b of all) expect(addPoints(a, b)).toEqual(own(peer(a).add(peer(b))));
  }
});
