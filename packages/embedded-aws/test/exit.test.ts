import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { lambdaResource, table, writeAssembly } from './cloudformation/handmade-assembly.ts';

const definition = { StartAt: 'Rest', States: { Rest: { Type: 'Wait', Seconds: 9_999_999, End: true } } };

const assemblyDirectory = writeAssembly(
  {
    Stack: {
      Resources: {
        Function: lambdaResource('code', 'hang', { Timeout: 900 }),
        Table: table('table'),
        Machine: {
          Type: 'AWS::StepFunctions::StateMachine',
          Properties: { StateMachineName: 'm', Definition: definition },
        },
      },
    },
  },
  { code: 'export const hang = () => { console.log(1); return new Promise(() => setInterval(() => {}, 1000)); };' },
);

afterAll(() => rmSync(assemblyDirectory, { recursive: true, force: true }));

const SCRIPT = `
import { startLocalAws } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};
const aws = await startLocalAws({ assemblyDirectory: ${JSON.stringify(assemblyDirectory)} });
const json = { 'content-type': 'application/x-amz-json-1.0' };
const stateMachineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:m';
const target = { ...json, 'x-amz-target': 'AWSStepFunctions.StartExecution' };
await fetch(aws.endpoint, { method: 'POST', headers: target, body: JSON.stringify({ stateMachineArn }) });
void fetch(aws.endpoint + '/2015-03-31/functions/hang/invocations', { method: 'POST', body: '{}' }).catch(() => {});
while (aws.describeRunning().length === 0 || aws.logs().length === 0) await new Promise(setImmediate);
await aws.close();
console.log('closed');
`;

it('the embedded AWS lets its process end after it is closed, although a function and an execution are still running', async () => {
  const before = readdirSync(tmpdir());
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', SCRIPT], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect({ stdout, stderr, code }).toEqual({ stdout: 'closed\n', stderr: '', code: 0 });
  const left = readdirSync(tmpdir()).filter(
    (name) => name.startsWith(`local-aws-${child.pid}-`) && !before.includes(name),
  );
  expect(left).toEqual([]);
});
