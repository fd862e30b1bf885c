import { expect, test } from 'vitest';
import { type OrderFile, planFiles } from '../../../../commands/evidence/contents.ts';
import { explain } from '../../../../commands/rule/explanation.ts';
import type { OrderDetails } from '../../../../commands/shared/order-details.ts';

test('each version has a name that every file system takes, and only the accepted ones are in package/', () => {
  const names = ['A.pdf', 'a.pdf', 'x/COM1', 'устав.pdf'];
  const documents = names.map((name) => ({ file: `documents/${name}`, versionId: '1', docType: 'OTHER' }));
  const order = { orderRef: 'x', packageVersionId: '1', documents };
  const details = { order, toSign: [], operations: [] } as unknown as OrderDetails;
  const versions = [...documents, { file: 'documents/a.pdf', versionId: '2' }, { file: 'extra/?', versionId: '1' }];
  const files = versions.map(({ file, versionId }) => ({
    bucket: 'intake',
    key: `orders/x/${file}`,
    versionId,
    isLatest: true,
  }));
  const planned = planFiles(details, files as OrderFile[]).map(({ path, file }) => [path, file.key, file.versionId]);
  expect(planned.sort()).toEqual([
    ['other-versions/a.pdf', 'orders/x/documents/a.pdf', '2'],
    ['other/_.bin', 'orders/x/extra/?', '1'],
    ['package/A-2.pdf', 'orders/x/documents/A.pdf', '1'],
    ['package/a.pdf', 'orders/x/documents/a.pdf', '1'],
    ['package/x_COM1.bin', 'orders/x/documents/x/COM1', '1'],
    ['package/устав.pdf', 'orders/x/documents/устав.pdf', '1'],
  ]);
});

test('a very long text is cut', () => {
  const explanation = explain({ kind: 'returned', returned: 'x'.repeat(900_000) });
  expect(explanation).toMatchObject({ returned: expect.stringMatching(/^"x+… \(900002 characters\)$/) });
  expect(JSON.stringify(explanation).length).toBeLessThan(10_000);
});
