/** What users write, for the type checker alone; the two projects beside it have different libraries. */
import {
  buildTree,
  CambiumError,
  createHasher,
  type Digest,
  type Hasher,
  type HasherOptions,
  hashes,
  merkleRoot,
  verifyProof,
} from 'cambium';
import { reference } from 'cambium/hash/sha256';
import { measureReport, type Report, type ReportOptions, reportToHtml } from 'cambium/report';
import { memoryStore } from 'cambium/store/memory';

export async function root(options: HasherOptions): Promise<Digest> {
  await using hasher: Hasher = await createHasher('sha256', options);
  const tree = await buildTree(hasher, new Uint8Array(4 * 32));
  const { leaf, siblings } = tree.prove(1);
  const fine: boolean = verifyProof(
    reference,
    { root: tree.root, leaf, index: 1, depth: tree.depth },
    siblings,
  );
  if (!fine) throw new CambiumError('CROSS_CHECK_MISMATCH', 'no proof');
  await memoryStore().close();
  for (const id of hashes.keys()) {
    // @ts-expect-error: an id is never a number
    const number: number = id;
    void number;
  }
  // @ts-expect-error: leaves are no text
  await merkleRoot(hasher, 'leaves');
  return await merkleRoot(hasher, new Uint8Array(64));
}

export async function page(options: ReportOptions): Promise<string> {
  const report: Report = await measureReport(options);
  return reportToHtml(report);
}
