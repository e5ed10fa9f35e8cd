/** BLAKE3, BLAKE2s, BLAKE2b, SHA3-256, Keccak-256: layers of pairs, and nodes of a Monotree. */
import type { BenchCase } from '../case.ts';
import { layer, openCpu, peer, testBytes, WASM_SCALAR, WASM_SIMD } from '../contenders.ts';
import type { Contender } from '../timing.ts';

type Hash = (message: Uint8Array) => Uint8Array;

/** What hash-wasm offers for many messages on one thread: one object that starts anew for each. */
interface HashWasm {
  init(): HashWasm;
  update(message: Uint8Array): HashWasm;
  digest(encoding: 'binary'): Uint8Array;
}

const hashWasm = async (create: string, bits?: number): Promise<Hash> => {
  const creators = peer('hash-wasm') as Record<string, (bits?: number) => Promise<HashWasm>>;
  const hasher = await creators[create]!(bits);
  return (message) => hasher.init().update(message).digest('binary');
};

interface Peer {
  readonly name: string;
  open(): Promise<Hash>;
}

const wasmPeer = (create: string, bits?: number): Peer => ({
  name: 'hash-wasm 4.13.0, a call a hash',
  open: () => hashWasm(create, bits),
});

/** The fastest peer of each hash. */
const PEERS: Readonly<Record<string, Peer>> = {
  blake3: {
    name: 'blake3-jit 1.1.0, a call a hash',
    open: async () => (peer('blake3-jit') as { hash: Hash }).hash,
  },
  blake2s: wasmPeer('createBLAKE2s', 256),
  blake2b: wasmPeer('createBLAKE2b', 256),
  'sha3-256': wasmPeer('createSHA3', 256),
  keccak256: wasmPeer('createKeccak', 256),
};

/** Messages one after the other, each by a call of its own; cutting them out is not charged to the peer. */
function calls(name: string, hash: Hash, messages: Uint8Array, lengths: Uint32Array): Contender {
  const out = new Uint8Array(32 * lengths.length);
  let at = 0;
  const views = Array.from(lengths, (length) => {
    at += length;
    return messages.subarray(at - length, at);
  });
  return {
    name,
    run() {
      for (let i = 0; i < views.length; i++) out.set(hash(views[i]!), 32 * i);
    },
    output: () => out,
  };
}

function pairs(id: string, { name, open }: Peer): BenchCase {
  const count = 2 ** 14;
  return {
    name: `${id} pairs, WASM, one thread`,
    size: count,
    unit: 'hash',
    async open() {
      const nodes = testBytes(64 * count);
      const simd = await openCpu(id, WASM_SIMD);
      const scalar = await openCpu(id, WASM_SCALAR);
      return {
        contenders: [
          calls(name, await open(), nodes, new Uint32Array(count).fill(64)),
          layer('cambium wasm simd', nodes, simd.engine.hashPairs),
          layer('cambium wasm scalar', nodes, scalar.engine.hashPairs),
        ],
        async close() {
          await Promise.all([simd.backend.close(), scalar.backend.close()]);
        },
      };
    },
  };
}

/** Nodes of 75 to 137 bytes, ordered by length as a Monotree's batch orders them. */
function monotreeNodes(id: string, { name, open }: Peer): BenchCase {
  const count = 63 * 256;
  return {
    name: `${id} messages of 75 to 137 bytes, WASM, one thread`,
    size: count,
    unit: 'hash',
    async open() {
      const lengths = Uint32Array.from({ length: count }, (_, i) => 75 + (i >> 8));
      const messages = testBytes(lengths.reduce((sum, length) => sum + length, 0));
      const { engine, backend } = await openCpu(id, WASM_SIMD);
      const out = new Uint8Array(32 * count);
      return {
        contenders: [
          calls(name, await open(), messages, lengths),
          {
            name: 'cambium wasm simd',
            run: () => engine.hashMessages!(messages, lengths, out),
            output: () => out,
          },
        ],
        close: () => backend.close(),
      };
    },
  };
}

export const cases: readonly BenchCase[] = Object.entries(PEERS).flatMap(([id, own]) => [
  pairs(id, own),
  monotreeNodes(id, own),
]);
