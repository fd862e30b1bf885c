import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const refused: [context: Record<string, string>, sentence: string][] = [
  [{}, 'Stage (none) is unknown: use -c stage=<test | prod | local>.\n'],
  [{ stage: 'production' }, 'Stage production is unknown: use -c stage=<test | prod | local>.\n'],
];

/** Runs the app once for each context, all in one process, because to load the CDK takes most of the time. Prints the statuses. */
const script = `
  const statuses = [];
  for (const [at, context] of JSON.parse(process.env.CONTEXTS).entries()) {
    process.env.CDK_CONTEXT_JSON = JSON.stringify(context);
    process.exitCode = 0;
    await import('./bin/app.ts?' + at);
    statuses.push(process.exitCode);
    process.stderr.write('\\0');
  }
  console.log(JSON.stringify(statuses));`;

let status: number | null;
let statuses: number[];
let sentences: string[];

beforeAll(() => {
  const CONTEXTS = JSON.stringify(refused.map(([context]) => context));
  const ran = spawnSync(process.execPath, ['--eval', script], {
    cwd: root,
    env: { ...process.env, CONTEXTS },
    encoding: 'utf8',
  });
  status = ran.status;
  statuses = JSON.parse(ran.stdout);
  sentences = ran.stderr.split('\0');
});

test.each(refused.map(([context, sentence], at) => [context, sentence, at] as const))(
  'the app refuses the context %j with one sentence',
  (_context, sentence, at) => {
    expect({ status: statuses[at], stderr: sentences[at] }).toEqual({ status: 1, stderr: sentence });
  },
);

test('nothing else is printed, and the process of a refused app ends with the status 1', () => {
  expect({ status, more: sentences.slice(refused.length) }).toEqual({ status: 1, more: [''] });
});
