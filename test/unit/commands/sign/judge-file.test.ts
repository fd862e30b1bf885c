import { expect, test } from 'vitest';
import type { StageConnection } from '../../../../commands/shared/connection.ts';
import { type AskedDocument, openJudge } from '../../../../commands/sign/judge-file.ts';
import { zipped } from '../../../helpers/signer-files.ts';

test('where the gate is off, only a name says which document is meant, and what is not named as a signature is left out', async () => {
  const of = (orderRef: string, fileId: string) => ({ orderRef, fileId, file: `${fileId}.pdf`, versionId: fileId });
  const all = [of('one', 'a'), of('one', 'b'), of('two', 'a')] as AskedDocument[];
  const put: string[] = [];
  const buckets = {
    intake: 'intake',
    staged: async (orderRef: string, name: string) => {
      const documents = all.map((one) => ({ ...one, signature: `s3://intake/${orderRef}/${one.fileId}.sig` }));
      return name === 'status.json' ? { status: 'WAITING_FOR_SIGNATURE' } : { documents };
    },
    putIntake: async (key: string) => put.push(key),
  };
  const connection = {
    place: { stage: 'nowhere' },
    buckets: async () => buckets,
    record: {},
    settings: () => ({ signatures: { gate: 'off', largestSignatureBytes: 9 } }),
  } as unknown as StageConnection;
  const judge = await openJudge(connection, all);
  const bytes = await zipped({
    'b.sig': 'any',
    'readme.txt': 'any',
    'c.sig': 'any',
    'a.sig': 'any',
    'two/a.sig': 'any',
  });
  const verdicts = [
    { passed: true, orderRef: 'one', fileId: 'b' },
    { code: 'leftOut' },
    { code: 'notAsked' },
    // Two orders have a document of this name.
    { code: 'notAsked' },
    { passed: true, orderRef: 'two', fileId: 'a' },
  ];
  expect(await judge({ name: 'x.zip', bytes }, (position) => position > 0)).toMatchObject(verdicts);
  expect(put).toEqual(['two/a.sig']);
});
