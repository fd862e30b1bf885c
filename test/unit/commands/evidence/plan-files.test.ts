import { expect, test } from 'vitest';
import { isSafePath } from '../../../../commands/evidence/paths.ts';
import { planFiles } from '../../../../commands/evidence/plan-files.ts';
import type { OrderFile } from '../../../../commands/stage/evidence-source.ts';
import type { OrderDetails } from '../../../../commands/stage/record.ts';

/** Where the documents of a package are in the archive, with their keys in intake. */
function planned(...names: string[]) {
  const documents = names.map((file) => ({ file, versionId: '1', docType: 'OTHER' }));
  const order = { orderRef: 'x', packageVersionId: '1', documents };
  const details = { order, toSign: [], operations: [] } as unknown as OrderDetails;
  const files = documents.map(({ file }) => ({ bucket: 'intake', key: `orders/x/${file}`, versionId: '1' }));
  return planFiles(details, files as OrderFile[]).map(({ path, file }) => [path, file.key]);
}

test('documents whose names differ in case only have names in the archive that differ more', () => {
  expect(planned('documents/A.pdf', 'documents/a.pdf')).toEqual([
    ['package/documents/2-a.pdf', 'orders/x/documents/a.pdf'],
    ['package/documents/A.pdf', 'orders/x/documents/A.pdf'],
  ]);
});

test('a document whose name some file systems refuse has a name that the check of the archive takes', () => {
  const [[path = ''] = []] = planned('documents/scan.');
  expect(path).toBe('package/documents/scan%2E');
  expect(isSafePath(path)).toBe(true);
});
