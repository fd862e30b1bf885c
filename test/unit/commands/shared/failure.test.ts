import { expect, test } from 'vitest';
import { commandFailure } from '../../../../commands/shared/failure.ts';
import { Refusal } from '../../../../commands/shared/text.ts';

const failure = (name: string, message: string, more: object = {}) =>
  Object.assign(new Error(message), { name, $metadata: {}, $fault: 'client', ...more });

test.each<[Error, string, number?]>([
  [new Refusal('No.'), 'No.'],
  [failure('Error', 'connect', { code: 'ENOTFOUND' }), 'No connection to AWS (ENOTFOUND).'],
  [failure('TimeoutError', 'slow'), 'AWS did not answer in time.'],
  [failure('ExpiredTokenException', 'expired'), 'AWS refused the credentials (ExpiredTokenException). Sign in again.'],
  [failure('ThrottlingException', 'Rate exceeded'), 'AWS answered ThrottlingException: Rate exceeded. Repeating'],
  [failure('Error', 'XML parse error', { $fault: undefined }), 'Whatever answered at AWS is not AWS'],
  [new TypeError('x is not a function'), 'The command itself failed (TypeError: x is not a function.)', 4],
])(
  'the error %o is explained in one sentence, with exit code 1 unless the command itself failed',
  (error, sentence, exitCode = 1) => {
    const failure = commandFailure(error, 'AWS');
    expect({ ...failure, sentence: failure.sentence.slice(0, sentence.length) }).toMatchObject({ sentence, exitCode });
  },
);

test('a missing permission is named, but the person is not', () => {
  const message =
    'User: arn:aws:iam::123456789012:user/jane is not authorized to perform: states:StopExecution on resource: arn:aws:…';
  const { sentence: said } = commandFailure(failure('AccessDeniedException', message), 'AWS');
  expect(said).toContain('the credentials lack the permission states:StopExecution (');
  expect(said).not.toContain('jane');
});
