/** Official and generated encodings, valid and invalid: values, bytes and roots. */
import { afterAll, describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/bytes.ts';
import { hasCode } from '../../src/errors.ts';
import { createHasher } from '../../src/hasher.ts';
import * as ssz from '../../src/ssz/index.ts';
import { isWithdrawn, loadSsz, TYPED_FILES, type TypedCases, typeOf } from '../support/ssz-vectors.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

/** In the vectors a plain union has a `value`, and its selector is a number. */
const inOurForm = (json: ssz.JsonValue): ssz.JsonValue =>
  JSON.parse(
    JSON.stringify(json)
      .replaceAll('"value":', '"data":')
      .replaceAll(/"selector":(\d+)/g, '"selector":"$1"'),
  );

describe.each(TYPED_FILES)('%s', (file) => {
  const { structs, valid, invalid } = loadSsz<TypedCases>(file);
  const supported = valid.filter((each) => !isWithdrawn(each));

  it.each(supported)('$name', async ({ type: schema, serialized, root, value: json }) => {
    const type = typeOf(schema, structs);
    const bytes = fromHex(serialized);
    const value = ssz.deserialize(type, bytes);
    expect(toHex(ssz.serialize(type, value))).toBe(serialized);
    expect(toHex(ssz.hashTreeRootSync(hasher, type, value))).toBe(root);
    expect(toHex(await ssz.hashTreeRoot(hasher, type, ssz.serialized(bytes)))).toBe(root);
    const written = ssz.toJson(type, value);
    expect(ssz.fromJson(type, written)).toEqual(value);
    if (json !== undefined) expect(written).toEqual(inOurForm(json));
  });

  it.each(invalid)('refuses $name', ({ type: schema, serialized }) => {
    const refused = (work: (type: ssz.SszType) => unknown): boolean => {
      try {
        work(typeOf(schema, structs));
        return false;
      } catch (error) {
        return hasCode(error, 'MALFORMED');
      }
    };
    expect(refused((type) => ssz.deserialize(type, fromHex(serialized)))).toBe(true);
    expect(refused((type) => ssz.hashTreeRootSync(hasher, type, ssz.serialized(fromHex(serialized))))).toBe(
      true,
    );
  });
});
