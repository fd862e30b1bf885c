import fc from 'fast-check';
import { bytes, disturbed, json, text } from '../../helpers/any-input.ts';

/** The orders in the record of the tests that send these events. The table fails for those that are `down`. */
const orders = ['working', 'signing', 'offers', 'closed', 'absent', 'down'];
const folders = fc.oneof(fc.constantFrom(...orders, 'new', 'down', 'down', 'a b', 'x'.repeat(1_005)), text);
const files = ['order.json', 'decision.json', 'documents/a.pdf', 'documents/', 'signatures/f.sig', 'signatures/%.sig'];
const names = fc.oneof(
  fc.constantFrom(...files),
  fc.constantFrom(`signatures/${'Ы'.repeat(450)}.sig`, `signatures/${'Ы'.repeat(450)}`),
  text.map((name) => `signatures/${name}`),
  text,
);
const keys = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(folders, names).map(([folder, name]) => `orders/${folder}/${name}`) },
  text,
);

const created = ([key, versionId]: unknown[]) => ({
  version: '0',
  'detail-type': 'Object Created',
  detail: { bucket: { name: 'intake' }, object: { key, size: 1, 'version-id': versionId } },
});

/** Events of objects in S3: usual ones, some with one odd member, and some of which parts are missing. */
export const createdEvents: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(keys, fc.constantFrom('v', 'w', undefined)).map(created) },
  fc.tuple(fc.oneof(keys, json), fc.oneof(text, json)).map(created),
  disturbed({ detail: disturbed({ object: disturbed({ key: keys, 'version-id': text }) }) }),
);

const ofOrder = (orderRef: string) => JSON.stringify({ orderRef, generation: 1 });
const inputs = fc.oneof(
  fc.constantFrom(...orders).map(ofOrder),
  disturbed({ orderRef: folders, generation: fc.integer() }).map((input) => JSON.stringify(input)),
  fc.constantFrom('{"orderRef":"working","generation":1e400}', '{"orderRef":"working","generation":1e300}'),
  text,
);

/** What Step Functions says of the error of an execution, and of its cause, which may be JSON, and be cut. */
export const errors = fc.oneof(fc.constantFrom('Rejected', 'States.Timeout', 'ServiceUnavailable'), text);
export const causes = fc.oneof(
  { weight: 10, arbitrary: text },
  { weight: 10, arbitrary: disturbed({ errorType: text, errorMessage: text }).map((cause) => JSON.stringify(cause)) },
  {
    weight: 10,
    arbitrary: fc.constantFrom(
      '{"errorMessage":"cut at 32,768 charact',
      '{"errorMessage":{}}',
      '[{"errorMessage":""}]',
    ),
  },
  fc.constant('x'.repeat(200_000)),
);

const usual = { executionArn: 'arn:known-1', status: 'FAILED', startDate: 1, stopDate: 1_794_445_200_000 };
const members = ['executionArn', 'status', 'startDate', 'stopDate', 'input', 'error', 'cause'];
const times = fc.oneof(fc.constantFrom(0, 1_794_445_200_000, 8.64e15, 8.65e15, -1, 1.5), fc.double());
const ended = { input: inputs, error: errors, cause: causes };

/** The same of executions that ended. */
export const endedEvents: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.record(ended).map((detail) => ({ detail: { ...usual, ...detail } })) },
  fc
    .tuple(fc.constantFrom(...members), fc.oneof(json, times))
    .map(([name, value]) => ({ detail: { ...usual, input: ofOrder('working'), [name]: value } })),
  disturbed({ detail: disturbed({ executionArn: text, status: text, stopDate: times, ...ended }) }),
);

/** The bodies of up to four messages, most of them events, and the content of every file that they name. */
export function batchesOf(events: fc.Arbitrary<unknown>): fc.Arbitrary<[bodies: string[], content: Uint8Array]> {
  const messages = fc.oneof(
    { weight: 8, arbitrary: events.map((event) => JSON.stringify(event)) },
    fc.oneof(
      text,
      json.map((value) => JSON.stringify(value)),
    ),
  );
  return fc.tuple(fc.array(messages, { minLength: 1, maxLength: 4 }), bytes);
}
