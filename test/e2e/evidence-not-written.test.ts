import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import type { AwsRequest } from '../../packages/embedded-aws/index.ts';
import { openEvidence, verify } from '../helpers/evidence-archive.ts';
import { filesOf } from '../helpers/tampered-archive.ts';

const SIGNATURE = 'signatures/round-1/application-1-1.pdf.p7s';
const DOCUMENT = 'to-sign/round-1/application-1-1.pdf';

/** Is told of each request. */
let onRequest: ((request: AwsRequest) => void) | undefined;
const { world, folder, paths, run, original } = await openEvidence({
  requestWrapper: async (request) => onRequest?.(request) as undefined,
});
const names = () =>
  readdirSync(folder.path('.'))
    .filter((name) => name.includes('.zip'))
    .sort();

/** The command as a process, whose files may have no more kilobytes than this. */
function start(out: string, most = 'unlimited'): ChildProcess {
  const args = ['--local', '--endpoint', world.aws.endpoint, 'evidence', 'ordinary', '--out', folder.path(out)];
  const script = `ulimit -f ${most}; exec "$@"`;
  return spawn('bash', ['-c', script, '-', process.execPath, 'bin/loan-orders.ts', ...args], { stdio: 'pipe' });
}

async function ended(command: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  let stderr = '';
  command.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(command, 'close')) as [number | null];
  return { code, stderr };
}

describe('nothing is left of an archive', () => {
  test('that is larger than the disk', async () => {
    expect(await ended(start('full.zip', '20'))).toEqual({
      code: 1,
      stderr: `${folder.path('full.zip')} can't be written (EFBIG): no archive was written.\n`,
    });
    expect(names()).toEqual(['order.zip']);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('that %s stops', async (signal, code) => {
    const command = start('stopped.zip');
    onRequest = ({ operation }) => void (operation === 'GET' && names().length > 1 && command.kill(signal));
    const { code: found, stderr } = await ended(command);
    onRequest = undefined;
    expect({ found, stderr }).toEqual({
      found: code,
      stderr: '\nStopped: no archive was written. Repeat the command.\n',
    });
    expect(names()).toEqual(['order.zip']);
  });
});

test('a name that is taken, or cannot be one, is refused before anything is read', async () => {
  const before = readFileSync(paths.archive);
  for (const [out, sentence] of [
    [
      paths.archive,
      ' is there already: it was not overwritten, and no archive was written. Give another file with --out.',
    ],
    [
      folder.path('.'),
      ' is a folder: it was not overwritten, and no archive was written. Give another file with --out.',
    ],
    [folder.path('none/x.zip'), " can't be written (ENOENT): no archive was written."],
  ] as const)
    expect(await run('evidence', 'ordinary', '--out', out)).toMatchObject({ code: 1, stderr: `${out}${sentence}\n` });
  expect(readFileSync(paths.archive)).toEqual(before);
});

test('a signature whose document was removed is in an archive without faults, and is not judged', async () => {
  const { files } = JSON.parse(String(original.get('manifest.json')));
  const { source } = files.find(({ path }: { path: string }) => path === DOCUMENT);
  const object = { Bucket: world.outputs.StagingBucket, Key: source.key, VersionId: source.versionId };
  await world.s3.send(new DeleteObjectCommand(object));
  const out = folder.path('gone.zip');
  expect(await run('evidence', 'ordinary', '--out', out)).toMatchObject({ code: 0 });
  expect(await verify(out)).toMatchObject({ code: 0, faults: [], facts: { validSignatures: 1 } });
  const archive = await filesOf(out);
  expect(archive.has(SIGNATURE)).toBe(true);
  expect(String(archive.get('index.html'))).toContain(
    'signature that was sent, round 1; its document was removed before',
  );
});
