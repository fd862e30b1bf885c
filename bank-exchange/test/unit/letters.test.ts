import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const script = /node -p '(const \{ Body[^']*)'/.exec(page)?.[1] ?? '';
const event = { detail: { object: { key: 'statuses/a.json' } } };
const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:loan-orders-local-legacy-intake';
const text = (StringValue: string) => ({ DataType: 'String', StringValue });

test.each([
  [
    'that a function failed on',
    { requestContext: { functionArn }, requestPayload: event, responsePayload: { errorType: 'TypeError' } },
    {},
    'TypeError',
  ],
  [
    'that never reached its function',
    event,
    { TARGET_ARN: text(functionArn), ERROR_CODE: text('SDK_CLIENT_ERROR') },
    'SDK_CLIENT_ERROR',
  ],
])('the script in bank-exchange/README.md takes out an event %s', (_title, body, MessageAttributes, error) => {
  const cwd = mkdtempSync(join(tmpdir(), 'letters-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(
    join(cwd, 'letter.json'),
    JSON.stringify({ Messages: [{ Body: JSON.stringify(body), MessageAttributes }] }),
  );
  const printed = execFileSync(process.execPath, ['-p', script], { cwd, encoding: 'utf8' });
  expect([...printed.matchAll(/'([^']*)'/g)].map(([, found]) => found)).toEqual([functionArn, error]);
  expect(JSON.parse(readFileSync(join(cwd, 'event.json'), 'utf8'))).toEqual(event);
});
