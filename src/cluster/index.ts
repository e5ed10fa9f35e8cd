/**
 * `cambium/cluster`: roots over many machines, through BullMQ flows on Redis or Valkey. Node only; it needs the packages
 * `bullmq` and `ioredis`.
 */
export type { SourceCheck } from './fingerprint.js';
export type { Generator } from './generator-source.js';
export type { ObjectClient } from './object-source.js';
export type { LeafBytes, PlanOptions, ShardPlan } from './plan.js';
export type { ClusterOptions } from './redis.js';
export type { SourceAccess, SourceReference } from './source.js';
export { type ClusterRoot, type SubmitOptions, submitRoot } from './submit.js';
export {
  proveFromShard,
  SUBTREES_FORMAT,
  type SubtreeRoots,
  subtreesFromJson,
  subtreesToJson,
} from './subtrees.js';
export { type ClusterWorker, type ClusterWorkerOptions, startClusterWorker } from './worker.js';
