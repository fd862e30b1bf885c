import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCalls } from '../helpers/contract.ts';
import { Partner } from '../helpers/partner.ts';

let partner: Partner;

beforeEach(async () => {
  partner = await Partner.start({ tokenLifetimeSeconds: 10_000_000 });
});

afterEach(async () => {
  const violations = checkCalls(partner.simulator.calls());
  await partner.simulator.close();
  expect(violations).toEqual([]);
});

describe('the simulator scenario', () => {
  test('no-offer-approved allows no confirm and closes the order without one', async () => {
    const { orderId, offers } = await partner.toOffers({ scenario: 'no-offer-approved' });
    expect(offers.map(({ status }) => status)).toEqual(['REFUSED', 'REFUSED', 'REFUSED', 'REFUSED', 'EXPIRED']);
    partner.passSeconds(partner.simulator.settings.closeWithoutConfirmationSeconds);
    expect((await partner.read(orderId)).status).toBe('CLOSED');
  });

  test('second-signing-round requires signatures of new documents after the first signatures', async () => {
    const { orderId, fileIds: first } = await partner.toSignature({ scenario: 'second-signing-round' });
    for (const fileId of first) await partner.uploadSignature(orderId, fileId);
    await partner.accept(orderId);
    const { status, documents = [] } = await partner.afterProcessing(orderId);
    expect(status).toBe('WAITING_FOR_SIGNATURE');
    const second = documents.map(({ fileId }) => fileId);
    expect(second).toHaveLength(2);
    expect(second.filter((fileId) => first.includes(fileId))).toEqual([]);
    expect((await partner.uploadSignature(orderId, first[0] ?? '')).body.error.code).toBe('document_not_awaited');
    expect((await partner.accept(orderId)).body.error.code).toBe('signatures_missing');
    for (const fileId of second) await partner.uploadSignature(orderId, fileId);
    await partner.accept(orderId);
    expect((await partner.afterProcessing(orderId)).status).toBe('OFFERS_AVAILABLE');
  });

  test('more-documents-to-sign requires signatures of three times as many documents', async () => {
    const { orderId, fileIds } = await partner.toSignature({ scenario: 'more-documents-to-sign' });
    expect(new Set(fileIds).size).toBe(3 * partner.simulator.settings.documentsToSign);
    for (const fileId of fileIds.slice(1)) await partner.uploadSignature(orderId, fileId);
    expect((await partner.accept(orderId)).body.error.code).toBe('signatures_missing');
  });

  test('slow-processing keeps the order IN_WORK for the slow processing time', async () => {
    const orderId = await partner.create({ scenario: 'slow-processing' });
    const { slowProcessingSeconds } = partner.simulator.settings;
    partner.passSeconds(slowProcessingSeconds - 1);
    expect((await partner.read(orderId)).status).toBe('IN_WORK');
    partner.passSeconds(1);
    expect((await partner.read(orderId)).status).toBe('WAITING_FOR_DOCUMENTS');
  });

  test('that is unknown is refused with the names of the known ones', async () => {
    const answer = await partner.post('/v1/orders', { scenario: 'happy' });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain('validation-fails-at-once, validation-fails-after-documents');
    expect(partner.simulator.orders()).toEqual([]);
  });
});
