/** SSZ, Ethereum's Simple Serialize: types, encodings, roots, generalized indices, proofs, trees. */
export * from './construct.js';
export { defaultValue } from './default-value.js';
export { deserialize } from './deserialize.js';
export { hashTreeRoot, hashTreeRootSync, merkleize, merkleizeProgressive } from './hash-tree-root.js';
export { fromJson, type JsonValue, toJson } from './json.js';
export { type SchemaNames, typeFromSchema } from './schema.js';
export { serialize } from './serialize.js';
export { type Serialized, serialized } from './serialized.js';
export type * from './types.js';
export type { WorkOptions } from './work.js';
