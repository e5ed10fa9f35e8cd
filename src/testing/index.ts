/** Suites for who writes a store or a tree of his own. They take a test runner and import none. */
export { type FaultyStore, faultyStore } from './faulty-store.js';
export type { TestRunner } from './runner.js';
export { type OpenStore, type StoreUnderTest, storeSuite } from './store-suite.js';
export { type OpenTree, type TreeUnderTest, treeSuite } from './tree-suite.js';
