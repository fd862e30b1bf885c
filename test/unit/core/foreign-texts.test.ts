import { X509Certificate } from 'node:crypto';
import { makeAuthority } from '@business-loan-orders/detached-signatures/certificates';
import { expect, test } from 'vitest';
import { oneLine } from '../../../commands/evidence/signatures.ts';
import { readableCause } from '../../../core/aws/execution-end.ts';
import { bounded, LONGEST_TEXT } from '../../../core/bounded.ts';
import { Rejected } from '../../../core/errors.ts';
import { parseDecision } from '../../../core/package/decision-schema.ts';
import { checkPackage } from '../../../core/package/package-schema.ts';
import { checkWholePackage } from '../../../core/package/whole-package.ts';
import { PACKAGE_DEFAULTS } from '../../helpers/packages.ts';

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
