import { describe, expect, it } from 'vitest';
import { createHasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import {
  type IndexedProofDocument,
  indexedProofFromJson,
  indexedProofToJson,
} from '../../src/tree/indexed/proof-json.ts';
import { IndexedTree } from '../../src/tree/indexed.ts';
import { proofFromJson } from '../../src/tree/proof-json.ts';
import { bytesOf } from '../support/naive-indexed.ts';

async function document(updatable: boolean): Promise<IndexedProofDocument> {
  const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
  const tree = await IndexedTree.open(hasher, memoryStore(), { depth: 4, scheme: 'typescript', updatable });
  const values = updatable ? [7n, 70n, 9n, 90n] : [7n, 9n];
  const { root } = await tree.insert(Buffer.concat(values.map(bytesOf)));
  const value = bytesOf(8n);
  const proof = await tree.proveAbsence(value);
  await hasher.close();
  const { depth, scheme } = tree;
  return { hash: 'sha256', root, depth, scheme, updatable, value, present: false, ...proof };
}

describe('cambium-proof/1 of indexed trees', () => {
  it.each([false, true])('reads what it writes, updatable %s', async (updatable) => {
    const written = await document(updatable);
    const text = indexedProofToJson(written);
    expect(text.endsWith('}\n')).toBe(true);
    expect(indexedProofFromJson(text)).toEqual(written);
    const far = { ...written, index: 2n ** 60n, leaf: { ...written.leaf, nextIndex: 2n ** 53n } };
    expect(indexedProofFromJson(indexedProofToJson(far))).toEqual(far);
    // The two kinds of proof are not taken for each other.
    expect(() => proofFromJson(text)).toThrow(/^proof: (size: missing|scheme: no field)/);
  });

  it('names the field that is wrong', async () => {
    const fields = JSON.parse(indexedProofToJson(await document(false)));
    const { leaf } = fields;
    const digest = `0x${'ab'.repeat(32)}`;
    const wrong: [object, RegExp][] = [
      [{ format: 'cambium-proof/2' }, /^proof: format: /],
      [{ hash: '' }, /^proof: hash: /],
      [{ root: digest.slice(2) }, /^proof: root: /],
      [{ depth: 0 }, /^proof: depth: /],
      [{ depth: 65 }, /^proof: depth: /],
      [{ depth: 5 }, /^proof: siblings: expected 5/],
      [{ scheme: 'other' }, /^proof: scheme: /],
      [{ updatable: 'no' }, /^proof: updatable: /],
      [{ updatable: true }, /^proof: data: missing/],
      [{ present: 1 }, /^proof: present: /],
      [{ value: '0x' }, /^proof: value: /],
      [{ index: -1 }, /^proof: index: /],
      [{ index: '5' }, /^proof: index: /],
      [{ leaf: null }, /^proof: leaf: /],
      [{ leaf: { ...leaf, data: digest } }, /^proof: data: no field/],
      [{ leaf: { ...leaf, nextIndex: 1.5 } }, /^proof: leaf.nextIndex: /],
      [{ leaf: { ...leaf, nextValue: digest.toUpperCase() } }, /^proof: leaf.nextValue: /],
      [{ siblings: 'none' }, /^proof: siblings: /],
      [{ siblings: [digest, digest, digest, '0x'] }, /^proof: siblings\[3\]: /],
      [{ extra: 1 }, /^proof: extra: no field/],
    ];
    for (const [change, message] of wrong) {
      expect(() => indexedProofFromJson(JSON.stringify({ ...fields, ...change }))).toThrow(
        expect.objectContaining({ code: 'MALFORMED', message: expect.stringMatching(message) }),
      );
    }
    const { present: _, ...less } = fields;
    expect(() => indexedProofFromJson(JSON.stringify(less))).toThrow(/^proof: present: missing/);
    for (const text of ['', '[]', '1', 'null']) {
      expect(() => indexedProofFromJson(text)).toThrow(expect.objectContaining({ code: 'MALFORMED' }));
    }
  });
});
