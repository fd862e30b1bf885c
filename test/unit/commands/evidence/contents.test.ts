import { expect, test } from 'vitest';
import { type OrderFile, planFiles } from '../../../../commands/evidence/contents.ts';
import type { OrderDetails } from '../../../../commands/stage/record.ts';

/** Where the documents of a package are in the archive, with their keys in intake. */
function planned(...names: string[]) {
  const documents = names.map((file) => ({ file, versionId: '1', docType: 'OTHER' }));
  const order = { orderRef: 'x', packageVersionId: '1', documents };
  const details = { order, toSign: [], operations: [] } as unknown as OrderDetails;
  const files = documents.map(({ file }) => ({ bucket: 'intake', key: `orders/x/${file}`, versionId: '1' }));
  return planFiles(details, files as OrderFile[]).map(({ path, file }) => [path, file.key]);
}

test.each([
  ['differ in case only', ['A.pdf', 'a.pdf'], ['2-a.pdf', 'A.pdf']],
  ['end with a dot', ['scan.'], ['scan%2E']],
  ['are those of devices', ['aux.pdf', 'x/COM1'], ['%61ux.pdf', 'x/%43OM1']],
])('documents whose names %s have names in the archive that every file system takes', (_how, names, paths) => {
  const found = planned(...names.map((name) => `documents/${name}`));
  expect(found.map(([path]) => path)).toEqual(paths.map((path) => `package/documents/${path}`));
  expect(found.map(([, key]) => key?.replace('orders/x/documents/', '')).sort()).toEqual(names.sort());
});

test('no archive is written with a document whose name is the folder of another one', () => {
  expect(() => planned('documents/a/b', 'documents/A')).toThrow(
    'No archive was written: it could not hold package/documents/a/b. Another file has this name, or that of its folder.',
  );
});
