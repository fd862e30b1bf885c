import { expect, test } from 'vitest';
import { makeDocuments, renderDocument } from '../../../simulator/documents.ts';

test('a document is a PDF dated by the clock of the service, and has the same bytes whenever it is rendered', async () => {
  const [document] = makeDocuments(1, 1);
  if (!document) throw new Error('No document was made');
  const createdAt = Date.UTC(2025, 0, 15, 12, 30);
  const rendered = await renderDocument('order-1', document, createdAt);
  expect(rendered.subarray(0, 5).toString()).toBe('%PDF-');
  expect(rendered.toString('latin1').trimEnd()).toMatch(/%%EOF$/);
  expect(rendered.toString('latin1')).toContain('(D:20250115123000Z)');
  expect(await renderDocument('order-1', document, createdAt)).toEqual(rendered);
  expect(await renderDocument('order-2', document, createdAt)).not.toEqual(rendered);
});
