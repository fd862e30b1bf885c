import { expect, test } from 'vitest';
import { fileOf, namedFact, withNames } from '../../../../commands/shared/document-names.ts';
import type { OrderDetails } from '../../../../commands/shared/order-details.ts';

const details = {
  order: {
    documents: [{ file: 'documents/charter.pdf' }, { file: 'documents/balance.pdf' }],
    rounds: { signatures: { number: 2, fileIds: ['file#1@a', 'file-2'] } },
    decision: { choices: [{ offerId: 'offer-1', code: 'A' }] },
  },
  toSign: [
    { round: 1, fileId: 'file#1@a', name: 'old.pdf' },
    { round: 2, fileId: 'file#1@a', name: 'new.pdf' },
    { round: 2, fileId: 'file-2' },
  ],
} as unknown as OrderDetails;

test.each([
  ['upload-document#1#1@version', 'documents/balance.pdf'],
  ['upload-document#1#7@version', undefined],
  ['upload-signature#1#file#1@a@version', 'old.pdf'],
  ['upload-signature#2#file#1@a@version', 'new.pdf'],
  ['upload-signature#2#file-2@version', 'file-2'],
  ['upload-signature#2#unknown@version', 'unknown'],
  ['create', undefined],
  ['confirm#offer-1', undefined],
])('the operation %s is about the file %s', (operation, file) => {
  expect(fileOf(details, operation)).toBe(file);
});

test('a cause that counts documents to sign names them', () => {
  expect(withNames(details, 'Order a: document number 1 to sign is empty; document number 9 too.')).toBe(
    'Order a: document number 1 ("new.pdf") to sign is empty; document number 9 too.',
  );
});

test.each<[string, [string, string | number], string]>([
  ['Document replaced', ['document', 2], 'document documents/balance.pdf'],
  ['A signature arrived', ['document', 1], 'document new.pdf'],
  ['A signature arrived', ['missing', 1], 'missing 1'],
  ['A signature is passed on unchecked', ['document', 5], 'document 5'],
  ['A confirm was refused', ['choice', 1], 'offer offer-1'],
  ['A confirm was refused', ['choice', 3], 'offer 3'],
])('the timeline names what %s counts: %j', (what, fact, shown) => {
  expect(namedFact(details, what, fact)).toBe(shown);
});
