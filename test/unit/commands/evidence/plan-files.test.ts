import { expect, test } from 'vitest';
import { planFiles } from '../../../../commands/evidence/plan-files.ts';
import type { OrderFile } from '../../../../commands/stage/evidence-source.ts';
import type { OrderDetails } from '../../../../commands/stage/record.ts';

test('documents whose names differ in case only have names in the archive that differ more', () => {
  const documents = ['documents/A.pdf', 'documents/a.pdf'].map((file) => ({ file, versionId: '1', docType: 'OTHER' }));
  const order = { orderRef: 'x', packageVersionId: '1', documents };
  const details = { order, toSign: [], operations: [] } as unknown as OrderDetails;
  const files = documents.map(({ file }) => ({ bucket: 'intake', key: `orders/x/${file}`, versionId: '1' }));
  expect(planFiles(details, files as OrderFile[]).map(({ path, file }) => [path, file.key])).toEqual([
    ['package/documents/2-a.pdf', 'orders/x/documents/a.pdf'],
    ['package/documents/A.pdf', 'orders/x/documents/A.pdf'],
  ]);
});
