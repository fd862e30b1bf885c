import { X509Certificate } from 'node:crypto';
import { makeAuthority } from '@business-loan-orders/detached-signatures/certificates';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oneLine } from '../../../commands/evidence/signatures.ts';
import { readableCause } from '../../../core/aws/execution-end.ts';
import { bounded, LONGEST_TEXT } from '../../../core/bounded.ts';
import { Rejected } from '../../../core/errors.ts';
import { OPEN_STATUSES } from '../../../core/order/order-item.ts';
import { readAnswer, UnusableAnswer } from '../../../core/order-service/order-answer.ts';
import { ASSUMED_NAMES } from '../../../core/order-service/service-names.ts';
import { parseDecision } from '../../../core/package/decision-schema.ts';
import { intakePart, signatureKey } from '../../../core/package/intake-key.ts';
import { checkPackage } from '../../../core/package/package-schema.ts';
import { checkWholePackage } from '../../../core/package/whole-package.ts';
import { bytes, disturbed, holds, json, text } from '../../helpers/any-input.ts';
import { PACKAGE_DEFAULTS } from '../../helpers/packages.ts';

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

const long = 'ы'.repeat(300_000);
const file = (value: unknown) => Buffer.from(JSON.stringify(value));
const deep = `{"order":${`{"${'ы'.repeat(99)}":`.repeat(95)}{"a":1,"a":1}${'}'.repeat(96)}`;
const certificate = new X509Certificate(makeAuthority({ commonName: long }).certificate);

test.each<[string, unknown]>([
  ['a message of an error', new Rejected(long).message],
  ['a cause of an ended execution', readableCause({ status: 'FAILED', cause: long }, 'retry')],
  [
    'problems of a package',
    checkPackage(file({ [long]: 1, documents: [{ [long]: { [long]: 1 } }] }), PACKAGE_DEFAULTS).problems,
  ],
  ['a problem deep in a package', checkPackage(Buffer.from(deep), PACKAGE_DEFAULTS).problems],
  ['problems of a decision', parseDecision(file({ choices: [{ [long]: 1 }] }))],
  ["a certificate's name", oneLine(certificate.subject)],
])('%s keeps the beginning only of a text of 300,000 characters', (_what, made) => {
  const written = JSON.stringify(made);
  expect(written).toContain('ы'.repeat(50));
  expect(written.length).toBeLessThan(2 * LONGEST_TEXT);
});

test('a text is cut between two characters', () => {
  expect(bounded('a😀b', 3)).toBe('a…');
  expect(bounded('a😀b', 4)).toBe('a😀b');
});

test('an answer lists 200 problems at most, although a package has more of each kind', async () => {
  const documents = Array.from({ length: 99 }, (_, at) => ({ file: `documents/${at}.pdf`, [at]: 1 }));
  const bytes = Buffer.from(`{"order":{${'"a":1,'.repeat(90_000)}"a":1},"documents":${JSON.stringify(documents)}}`);
  const unchecked = { folder: 'o', hasValidName: true, bytes, find: async () => undefined };
  const { problems } = await checkWholePackage(unchecked, { ...PACKAGE_DEFAULTS, documentBytes: 1 });
  expect(problems).toHaveLength(200);
});
