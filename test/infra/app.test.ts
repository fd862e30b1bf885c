import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

test.each([
  [{}, 'Stage (none) is unknown: use -c stage=<test | prod | local>.\n'],
  [{ stage: 'production' }, 'Stage production is unknown: use -c stage=<test | prod | local>.\n'],
])('the app refuses the context %j with one sentence', (context, sentence) => {
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context) };
  const { status, stderr } = spawnSync(process.execPath, ['bin/app.ts'], { cwd: root, env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 1, stderr: sentence });
});
