import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { answering } from '../../helpers/listening.ts';

const ADVISORY = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-0000-0000-0000',
  title: 'A document runs code',
  severity: 'high',
  vulnerable_versions: '<999.0.0',
};
const VERSION = manifest.dependencies.zod;
/** npm also asks which versions there are. */
const ZOD = {
  name: 'zod',
  'dist-tags': { latest: VERSION },
  versions: { [VERSION]: { name: 'zod', version: VERSION } },
};
let answer: { status: number; body: unknown };
const address = await answering((request, response) => {
  request.resume().on('end', () => {
    const { status, body } = request.method === 'GET' ? { status: 200, body: ZOD } : answer;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
});

function audit(): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const env = { ...process.env, npm_config_registry: `${address}/` };
  return new Promise((resolve) => {
    execFile(process.execPath, ['scripts/audit.ts'], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test.each([
  ['knows a vulnerability', { status: 200, body: { zod: [ADVISORY] } }, 1, /Severity: high\nA document runs code/],
  ['does not answer', { status: 405, body: {} }, 2, /package-lock\.json was not audited: npm's registry/],
])('when the registry %s, the audit says so', async (_what, answered, code, words) => {
  answer = answered;
  const outcome = await audit();
  expect(outcome.stdout + outcome.stderr).toMatch(words);
  expect(outcome.code).toBe(code);
});
