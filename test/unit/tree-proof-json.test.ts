/** `cambium-proof/1`: what is written is read again, and nothing else is read. */
import { afterAll, describe, expect, it } from 'vitest';
import { concatBytes } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import { buildTree } from '../../src/tree/merkle.ts';
import {
  type MultiProofDocument,
  type ProofDocument,
  proofFromJson,
  proofToJson,
} from '../../src/tree/proof-json.ts';
import { naiveLeaves } from '../support/naive-tree.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

const leaves = naiveLeaves(11);

async function documents(padding: 'zero' | 'promote' | 'duplicate') {
  const tree = await buildTree(hasher, concatBytes(...leaves), { padding });
  const { root, depth, size } = tree;
  const about = { hash: 'sha256', root, depth, size, padding };
  const one: ProofDocument = { ...about, ...tree.prove(10) };
  const many: MultiProofDocument = { ...about, ...tree.proveMany([1, 2, 10]) };
  return { one, many };
}

describe('writing and reading', () => {
  it.each(['zero', 'promote', 'duplicate'] as const)('gives the same proof, under %s', async (padding) => {
    const { one, many } = await documents(padding);
    expect(proofFromJson(proofToJson(one))).toEqual(one);
    expect(proofFromJson(proofToJson(many))).toEqual(many);
  });

  it('has fields of this order and form', async () => {
    const { one } = await documents('zero');
    const text = proofToJson(one);
    expect(Object.keys(JSON.parse(text))).toEqual([
      ...['format', 'hash', 'root', 'depth', 'size', 'padding', 'index', 'leaf', 'siblings'],
    ]);
    expect(JSON.parse(text)).toMatchObject({ format: 'cambium-proof/1', depth: 4, size: 11, index: 10 });
    expect(JSON.parse(text).root).toMatch(/^0x[0-9a-f]{64}$/);
    expect(text.endsWith('}\n')).toBe(true);
  });

  it('writes what no number holds as decimal digits', () => {
    const [root, leaf, ...siblings] = naiveLeaves(66);
    const document: ProofDocument = {
      ...{ hash: 'sha256', root: root!, depth: 64, size: 2n ** 64n, padding: 'zero' },
      ...{ index: 2n ** 63n, leaf: leaf!, siblings },
    };
    expect(JSON.parse(proofToJson(document))).toMatchObject({
      size: '18446744073709551616',
      index: '9223372036854775808',
    });
    expect(proofFromJson(proofToJson(document))).toEqual(document);
    const small = proofToJson({ ...document, index: 7n });
    expect(JSON.parse(small).index).toBe(7);
    expect(proofFromJson(small)).toMatchObject({ index: 7 });
  });
});

describe('what is malformed', () => {
  const refused = (text: string, field: RegExp) =>
    expect(() => proofFromJson(text), text).toThrow(
      expect.objectContaining({ code: 'MALFORMED', message: expect.stringMatching(field) }),
    );

  it.each(['', '{', '[]', 'null', '"proof"', '7'])('no object: %j', (text) => refused(text, /^proof: /));

  it('each field missing, of another type, or out of range', async () => {
    const { one, many } = await documents('promote');
    const digest = JSON.parse(proofToJson(one)).root;
    const bad: Record<string, readonly unknown[]> = {
      format: ['cambium-proof/2', 1],
      hash: ['', 7],
      root: [
        digest.slice(2),
        `${digest}00`,
        digest.slice(0, -1),
        `${digest.slice(0, -1)}g`,
        digest.toUpperCase(),
        7,
      ],
      depth: ['4', 3, 65, 4.5, -1, null],
      size: ['11', 0, 17, -1, 1.5, '1e3', null],
      padding: ['none', 'odd', null],
      index: [11, -1, 0.5, '5', null],
      leaf: ['0x', null],
      siblings: [null, {}, [digest, 7], Array.from({ length: 5 }, () => digest)],
      indices: [[], [1, 1, 2], [2, 1, 10], [1, 2, 11], 1],
      leaves: [[], [digest], {}],
      nodes: [digest, [7]],
    };
    for (const document of [one, many]) {
      const fields = JSON.parse(proofToJson(document));
      for (const name of Object.keys(fields)) {
        const { [name]: _, ...others } = fields;
        // Which of the two kinds a proof is shows by its `indices`.
        refused(
          JSON.stringify(others),
          name === 'indices' ? /^proof: / : new RegExp(`^proof: ${name}: missing`),
        );
        const field = ['depth', 'size', 'padding'].includes(name) ? 'depth|size|padding' : name;
        for (const value of bad[name]!) {
          refused(JSON.stringify({ ...fields, [name]: value }), new RegExp(`^proof: (${field})`));
        }
      }
      refused(JSON.stringify({ ...fields, salt: 1 }), /^proof: salt: no field of cambium-proof\/1/);
    }
  });
});
