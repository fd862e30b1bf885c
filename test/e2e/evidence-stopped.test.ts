import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openEvidence } from '../helpers/evidence-archive.ts';

const { world, folder } = await openEvidence();
const names = () => readdirSync(folder.path('.')).filter((name) => name.includes('.zip'));

/** What became of the command as a process, whose files may have no more kilobytes than this. */
async function ended(out: string, most: string, started?: (command: ChildProcess) => void) {
  const args = ['--local', '--endpoint', world.aws.endpoint, 'evidence', 'ordinary', '--out', folder.path(out)];
  const script = `ulimit -f ${most}; exec "$@"`;
  const line = ['-c', script, '-', process.execPath, 'bin/loan-orders.ts', ...args];
  const command = spawn('bash', line, { stdio: 'pipe' });
  started?.(command);
  const texts: string[] = [];
  command.stderr.setEncoding('utf8').on('data', (text: string) => texts.push(text));
  const [code] = await once(command, 'close');
  return { code, stderr: texts.join('') };
}

test('nothing is left of an archive that is larger than the disk', async () => {
  const sentence = `${folder.path('full.zip')} can't be written (EFBIG): no archive was written.\n`;
  expect(await ended('full.zip', '20')).toEqual({ code: 1, stderr: sentence });
  expect(names()).toEqual(['order.zip']);
});

test.each([
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)('nothing is left of an archive that %s stops', async (signal, code) => {
  const stop = (command: ChildProcess) => {
    world.wrappers.requestWrapper = async ({ operation }) => {
      if (operation === 'GET' && names().length > 1) command.kill(signal);
      return undefined;
    };
  };
  const stderr = '\nStopped: no archive was written. Repeat the command.\n';
  expect(await ended('stopped.zip', 'unlimited', stop)).toEqual({ code, stderr });
  expect(names()).toEqual(['order.zip']);
});
