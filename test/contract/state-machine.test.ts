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

function historyOf(orderId: string): string[] {
  return partner.simulator.order(orderId)?.progress.history.map(({ status }) => status) ?? [];
}

async function offersByStatus(order?: Record<string, unknown>) {
  const { orderId, offers } = await partner.toOffers(order);
  const available = offers.filter(({ status }) => status === 'AVAILABLE');
  const choices = available.map((offer) => ({ offerId: offer.offerId, code: offer.creditOptions[0]?.code ?? '' }));
  return { orderId, offers, choices };
}

describe('row', () => {
  test('1 of section 3: a created order is IN_WORK, and its questionnaire is the order data that was sent', async () => {
    const order = {
      company: { name: 'ООО «Ромашка»', inn: '7707083893' },
      amount: 5_000_000.5,
      contacts: [null, true],
    };
    const answer = await partner.post('/v1/orders', order);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ orderId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(await partner.read(answer.body.orderId)).toEqual({
      orderId: answer.body.orderId,
      status: 'IN_WORK',
      pollAfterSeconds: 2,
      questionnaire: order,
    });
  });

  test('2 of section 3: IN_WORK becomes VALIDATION_FAILED for good when the application fails', async () => {
    const orderId = await partner.create({ scenario: 'validation-fails-at-once' });
    const failed = await partner.afterProcessing(orderId);
    expect(failed.status).toBe('VALIDATION_FAILED');
    expect(failed.issues).toContainEqual({
      code: 'TAX_NUMBER_UNKNOWN',
      field: expect.any(String),
      message: expect.any(String),
    });
    partner.passSeconds(1_000_000);
    expect((await partner.read(orderId)).status).toBe('VALIDATION_FAILED');
  });

  test('3 of section 3: IN_WORK becomes WAITING_FOR_DOCUMENTS when processing ends, and not before', async () => {
    const orderId = await partner.create();
    partner.passSeconds(partner.simulator.settings.processingSeconds - 0.001);
    expect((await partner.read(orderId)).status).toBe('IN_WORK');
    partner.passSeconds(0.001);
    expect((await partner.read(orderId)).status).toBe('WAITING_FOR_DOCUMENTS');
  });

  test('4 of section 3: WAITING_FOR_DOCUMENTS becomes IN_WORK by an accept after an upload', async () => {
    const orderId = await partner.toDocuments();
    expect((await partner.uploadDocument(orderId)).status).toBe(201);
    expect((await partner.accept(orderId)).status).toBe(202);
    expect((await partner.read(orderId)).status).toBe('IN_WORK');
  });

  test('5 of section 3: IN_WORK becomes VALIDATION_FAILED when the documents fail', async () => {
    const orderId = await partner.toDocuments({ scenario: 'validation-fails-after-documents' });
    await partner.uploadDocument(orderId);
    await partner.accept(orderId);
    const failed = await partner.afterProcessing(orderId);
    expect(failed.status).toBe('VALIDATION_FAILED');
    expect(failed.issues).toEqual([{ code: 'DOCUMENT_UNREADABLE', field: 'CHARTER', message: expect.any(String) }]);
  });

  test('6 of section 3: IN_WORK becomes WAITING_FOR_SIGNATURE with documents[] to download', async () => {
    const { orderId, fileIds } = await partner.toSignature();
    expect(historyOf(orderId)).toEqual(['IN_WORK', 'WAITING_FOR_DOCUMENTS', 'IN_WORK', 'WAITING_FOR_SIGNATURE']);
    expect(new Set(fileIds).size).toBe(2);
    for (const fileId of fileIds) {
      const download = await partner.call('GET', `/v1/orders/${orderId}/documents/${fileId}/download`);
      expect(download.status).toBe(200);
      expect(download.headers.get('content-type')).toBe('application/pdf');
      expect(download.headers.get('content-length')).toBe(String(download.body.length));
      expect(download.headers.get('content-disposition')).toMatch(/^attachment; filename="application-1-[12]\.pdf"$/);
      expect(download.body.subarray(0, 5).toString()).toBe('%PDF-');
    }
  });

  test('7 of section 3: WAITING_FOR_SIGNATURE becomes IN_WORK by an accept after every signature', async () => {
    const { orderId, fileIds } = await partner.toSignature();
    for (const fileId of fileIds) {
      const answer = await partner.uploadSignature(orderId, fileId);
      expect([answer.status, answer.body]).toEqual([201, { signatureId: expect.any(String) }]);
    }
    expect((await partner.accept(orderId)).status).toBe(202);
    const order = await partner.read(orderId);
    expect(order.status).toBe('IN_WORK');
    expect(order).not.toHaveProperty('documents');
  });

  test('8 of section 3: IN_WORK becomes OFFERS_AVAILABLE with offers[]', async () => {
    const { orderId, offers, choices } = await offersByStatus();
    expect((await partner.read(orderId)).status).toBe('OFFERS_AVAILABLE');
    expect(choices).toHaveLength(3);
    expect(offers.map(({ status }) => status)).toContain('REFUSED');
    partner.passSeconds(1_000_000);
    expect((await partner.read(orderId)).status).toBe('OFFERS_AVAILABLE');
  });

  test('9 of section 3: OFFERS_AVAILABLE becomes OFFERS_APPROVED by a confirm', async () => {
    const { orderId, choices } = await offersByStatus();
    expect((await partner.confirm(orderId, choices[0] ?? {})).status).toBe(202);
    const order = await partner.read(orderId);
    expect(order.status).toBe('OFFERS_APPROVED');
    expect(order.offers?.find(({ offerId }) => offerId === choices[0]?.offerId)?.status).toBe('CONFIRMED');
  });

  test('10 of section 3: OFFERS_APPROVED becomes CLOSED for good when the bank has finished', async () => {
    const { orderId, choices } = await offersByStatus();
    await partner.confirm(orderId, choices[0] ?? {});
    partner.passSeconds(partner.simulator.settings.bankSeconds - 1);
    expect((await partner.read(orderId)).status).toBe('OFFERS_APPROVED');
    partner.passSeconds(1);
    const closed = await partner.read(orderId);
    expect(closed.status).toBe('CLOSED');
    expect(closed.offers).toHaveLength(5);
    expect((await partner.accept(orderId)).status).toBe(409);
  });
});

describe('a confirm', () => {
  test('of another AVAILABLE offer is accepted while OFFERS_APPROVED, and starts the time of the bank again', async () => {
    const { orderId, choices } = await offersByStatus();
    await partner.confirm(orderId, choices[0] ?? {});
    partner.passSeconds(partner.simulator.settings.bankSeconds - 1);
    expect((await partner.confirm(orderId, choices[1] ?? {})).status).toBe(202);
    partner.passSeconds(partner.simulator.settings.bankSeconds - 1);
    expect((await partner.read(orderId)).status).toBe('OFFERS_APPROVED');
    expect(partner.simulator.order(orderId)?.confirmations.map(({ code }) => code)).toEqual(['FIRST-12', 'THIRD-36']);
    partner.passSeconds(1);
    expect((await partner.read(orderId)).status).toBe('CLOSED');
  });

  test('of a confirmed offer is refused', async () => {
    const { orderId, choices } = await offersByStatus();
    await partner.confirm(orderId, choices[0] ?? {});
    const again = await partner.confirm(orderId, choices[0] ?? {});
    expect([again.status, again.body.error.code]).toEqual([409, 'offer_already_confirmed']);
  });

  test('of a refused, expired or unknown offer, or with an unknown code, is refused', async () => {
    const { orderId, offers, choices } = await offersByStatus();
    const answers = [
      await partner.confirm(orderId, { offerId: offers[1]?.offerId ?? '', code: 'FIRST-12' }),
      await partner.confirm(orderId, { offerId: offers[4]?.offerId ?? '', code: 'FIFTH-12' }),
      await partner.confirm(orderId, { offerId: 'nobody', code: 'FIRST-12' }),
      await partner.confirm(orderId, { offerId: choices[0]?.offerId ?? '', code: 'THIRD-36' }),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [409, 'offer_not_available'],
      [409, 'offer_not_available'],
      [404, 'offer_not_found'],
      [422, 'unknown_credit_option'],
    ]);
    expect((await partner.read(orderId)).status).toBe('OFFERS_AVAILABLE');
  });
});
