import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OPEN_STATUSES } from '../../../core/order/order-item.ts';
import { readAnswer, UnusableAnswer } from '../../../core/order-service/order-answer.ts';
import { ASSUMED_NAMES } from '../../../core/order-service/service-names.ts';
import { parseDecision } from '../../../core/package/decision-schema.ts';
import { intakePart, signatureKey } from '../../../core/package/intake-key.ts';
import { bytes, disturbed, holds, json, text } from '../../helpers/any-input.ts';

const written = (value: unknown) => Buffer.from(JSON.stringify(value));

const decisions = disturbed({ choices: fc.array(disturbed({ offerId: text, code: text }), { maxLength: 4 }) });

test('any decision is accepted, or rejected with its problems', () =>
  holds(fc.oneof(bytes, decisions.map(written)), 300, (content) => {
    const parsed = parseDecision(content);
    if ('problems' in parsed) expect(parsed.problems.length).toBeGreaterThan(0);
    else for (const { offerId, code } of parsed.choices) expect(typeof offerId + typeof code).toBe('stringstring');
  }));

describe('an intake key', () => {
  test('is either a part of a package or of none', () =>
    holds(
      fc
        .array(fc.oneof(text, fc.constantFrom('orders', 'signatures', 'documents', 'x.sig')), { maxLength: 5 })
        .map((parts) => parts.join('/')),
      200,
      (key) => {
        const part = intakePart(key);
        if (part) expect(key.startsWith(`orders/${part.folder}/`)).toBe(true);
      },
    ));

  test('of a signature that to-sign.json gives leads back to its fileId', () =>
    holds(
      text.filter((fileId) => fileId !== '' && fileId.isWellFormed()),
      200,
      (fileId) => {
        expect(intakePart(signatureKey('order-1', fileId))).toEqual({ part: 'signature', folder: 'order-1', fileId });
      },
    ));
});

const orders = disturbed({
  status: fc.constantFrom(...OPEN_STATUSES, 'CLOSED'),
  pollAfterSeconds: fc.oneof(fc.double(), text),
  documents: fc.array(disturbed({ fileId: fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true })) }), {
    maxLength: 4,
  }),
  offers: fc.array(
    disturbed({
      offerId: fc.oneof(text, fc.maxSafeInteger()),
      status: text,
      creditOptions: fc.array(disturbed({ code: text }), { maxLength: 3 }),
    }),
    { maxLength: 4 },
  ),
  questionnaire: json,
  issues: json,
});

test('any order from the service is read, or refused with a message that names the problem', () =>
  holds(orders, 300, (body) => {
    const answer = JSON.stringify(body);
    try {
      const { order } = readAnswer(answer, JSON.parse(answer), { names: ASSUMED_NAMES, otherStatuses: {} });
      expect(order.status).not.toBe('');
      for (const { fileId } of order.documents ?? [])
        expect(encodeURIComponent(fileId).length).toBeLessThanOrEqual(900);
    } catch (error) {
      expect(error).toBeInstanceOf(UnusableAnswer);
      expect((error as Error).message).not.toBe('');
    }
  }));
