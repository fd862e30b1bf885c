import { expect, test } from 'vitest';
import { makeDocuments, renderDocument } from '../documents.ts';

test('a generated document is a PDF with the date of the service, and has the same bytes each time', async () => {
  const [document] = makeDocuments([{ fileId: 'file-1' }]);
  if (!document) throw new Error('No document was made');
  const createdAt = Date.UTC(2025, 0, 15, 12, 30);
  const rendered = await renderDocument('order-1', document, createdAt);
  expect(rendered.subarray(0, 5).toString()).toBe('%PDF-');
  expect(rendered.toString('latin1').trimEnd()).toMatch(/%%EOF$/);
  expect(rendered.toString('latin1')).toContain('(D:20250115123000Z)');
  expect(await renderDocument('order-1', document, createdAt)).toEqual(rendered);
  expect(await renderDocument('order-2', document, createdAt)).not.toEqual(rendered);
});
