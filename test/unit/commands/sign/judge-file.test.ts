import { expect, test } from 'vitest';
import type { StageConnection } from '../../../../commands/shared/connection.ts';
import { openJudge } from '../../../../commands/sign/judge-file.ts';
import { zipped } from '../../../helpers/signer-files.ts';

test('where the gate is off, only a name says which document is meant, and what is not named as a signature is left out', async () => {
  const documents = ['a', 'b'].map((fileId) => ({ fileId, round: 1, signature: `s3://intake/${fileId}.sig` }));
  const pages = { 'status.json': { status: 'WAITING_FOR_SIGNATURE' }, 'to-sign.json': { round: 1, documents } };
  const put: string[] = [];
  const buckets = {
    intake: 'intake',
    staged: async (_orderRef: string, name: keyof typeof pages) => pages[name],
    putIntake: async (key: string) => put.push(key),
  };
  const connection = {
    place: { stage: 'nowhere' },
    buckets: async () => buckets,
    record: { details: async () => ({ toSign: documents.map((one) => ({ ...one, contentType: 'application/pdf' })) }) },
    settings: () => ({ signatures: { gate: 'off', largestSignatureBytes: 9 } }),
  } as unknown as StageConnection;
  const judge = await openJudge(connection, 'order', true);
  const bytes = await zipped({ 'b.sig': 'any', 'readme.txt': 'any', 'c.sig': 'any' });
  const verdicts = [{ passed: true, fileId: 'b' }, { code: 'leftOut' }, { code: 'notAsked' }];
  expect(await judge({ name: 'x.zip', bytes })).toMatchObject(verdicts);
  expect(put).toEqual(['b.sig']);
});
