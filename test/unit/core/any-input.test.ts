import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OPEN_STATUSES } from '../../../core/order/order-item.ts';
import { readAnswer, UnusableAnswer } from '../../../core/order-service/order-answer.ts';
import { ASSUMED_NAMES } from '../../../core/order-service/service-names.ts';
import { parseDecision } from '../../../core/package/decision-schema.ts';
import { intakePart, signatureKey } from '../../../core/package/intake-key.ts';
import { checkPackage } from '../../../core/package/package-schema.ts';
import { secondsToWait } from '../../../core/reading/poll.ts';
import { LONGEST_WAIT_SECONDS } from '../../../core/time.ts';
import { bytes, disturbed, holds, json, text } from '../../helpers/any-input.ts';
import { PACKAGE_DEFAULTS } from '../../helpers/packages.ts';

const written = (value: unknown) => Buffer.from(JSON.stringify(value));

const packages = disturbed({
  order: json,
  documents: fc.array(
    disturbed({ file: text.map((name) => `documents/${name}`), entityId: text, sourceEntityId: text, docType: text }),
    { maxLength: 4 },
  ),
  offers: disturbed({ choose: fc.constantFrom('manual', 'rule'), rule: text }),
  signing: fc.constantFrom('external', 'kms'),
});

test('any package is accepted, or rejected with its problems and how to fix them', () =>
  holds(fc.oneof(bytes, packages.map(written)), 300, (content) => {
    const { problems, content: accepted } = checkPackage(content, { ...PACKAGE_DEFAULTS, hasKey: true });
    expect(accepted === undefined).toBe(problems.length > 0);
    for (const { path, problem, fix } of problems)
      expect(`${path}|${problem}|${fix}`).toMatch(/^\$[\s\S]*\|[\s\S]+\|[\s\S]+$/);
  }));

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
      const { order } = readAnswer(answer, JSON.parse(answer), {
        names: ASSUMED_NAMES,
        otherStatuses: {},
        mostOffers: 100,
      });
      expect(order.status).not.toBe('');
      for (const { fileId } of order.documents ?? [])
        expect(encodeURIComponent(fileId).length).toBeLessThanOrEqual(900);
    } catch (error) {
      expect(error).toBeInstanceOf(UnusableAnswer);
      expect((error as Error).message).not.toBe('');
    }
  }));

test('any pollAfterSeconds gives a possible wait that is never shorter than the stage or the service says', () =>
  holds(fc.oneof(json, fc.double(), text), 300, (sent) => {
    const { seconds } = secondsToWait(sent, { minimum: 5, fallback: 30, long: 86_400 });
    expect(seconds).toBeGreaterThanOrEqual(5);
    expect(seconds).toBeLessThanOrEqual(LONGEST_WAIT_SECONDS);
    if (typeof sent === 'number' && sent <= LONGEST_WAIT_SECONDS)
      expect(seconds).toBeGreaterThanOrEqual(Math.max(sent, 5));
  }));
