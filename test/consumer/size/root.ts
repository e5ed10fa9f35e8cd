/** An application that wants SHA-256 roots and nothing else. */
import { createHasher, merkleRoot } from 'cambium';

const hasher = await createHasher('sha256');
console.log(await merkleRoot(hasher, new Uint8Array(64)));
