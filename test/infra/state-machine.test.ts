import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ENDED, MAY_HAVE_RUN, NOT_RUN } from '../../core/aws/lambda-errors.ts';
import { errorNames } from '../../core/errors.ts';
import { LEAST_WAIT_SECONDS } from '../../core/order/waits.ts';
import { resumptionAfter } from '../../core/recovery/outage.ts';
import { timeouts } from '../../core/timeouts.ts';
import { orderDefinition } from '../../statemachine/order-definition.ts';
import { type Policy, policies, type Retrier, retries } from '../../statemachine/retries.ts';
import { templateOf } from '../helpers/template.ts';

interface State {
  Type: string;
  Comment?: string;
  Resource?: string;
  Parameters?: { FunctionName?: string; Payload?: Record<string, string> };
  TimeoutSeconds?: number;
  TimeoutSecondsPath?: string;
  Retry?: Retrier[];
  Catch?: { ErrorEquals: string[]; Next: string }[];
  ItemProcessor?: { States: Record<string, State> };
  Next?: string;
}

const readme = readFileSync(new URL('../../statemachine/README.md', import.meta.url), 'utf8');
const { States: top } = orderDefinition() as unknown as { States: Record<string, State> };
const inner = Object.values(top).flatMap((state) => Object.entries(state.ItemProcessor?.States ?? {}));
const all = [...Object.entries(top), ...inner];
const tasks = all.filter(([, state]) => state.Type === 'Task');

test('a task or a Map catches no error but those that it handles, so a failed execution is red at its step', () => {
  const caught = all.flatMap(([, { Catch = [] }]) => Catch.flatMap(({ ErrorEquals }) => ErrorEquals));
  expect(caught).not.toContain('States.ALL');
  expect(all.filter(([, { Type }]) => Type === 'Fail').map(([name]) => name)).toEqual(['Validation failed']);
});

test('every state says what it is for, and every task gets its execution, which a person may have redriven', () => {
  expect(all.filter(([, { Comment }]) => !Comment).map(([name]) => name)).toEqual([]);
  const payloads = tasks
    .filter(([, { Resource }]) => Resource?.includes('lambda'))
    .map(([, { Parameters }]) => Parameters?.Payload);
  expect(payloads.map((payload) => payload?.['execution.$'])).toEqual(payloads.map(() => '$$.Execution'));
});

test('only named errors are retried, with backoff, full jitter and a cap', () => {
  for (const [name, state] of tasks) {
    for (const retry of (state.Retry ?? []).filter(({ MaxAttempts }) => MaxAttempts !== 0)) {
      expect(retry, name).toMatchObject({ BackoffRate: 2, JitterStrategy: 'FULL' });
      expect(retry.MaxDelaySeconds, name).toBeGreaterThan(0);
      for (const error of retry.ErrorEquals) {
        // The faults of Lambda have their places below.
        if (/^(Lambda|Sandbox|Runtime)\./.test(error)) continue;
        // The name is fixed, so starting the next execution twice gives one execution.
        if (name === 'Continue in a new execution' && error === 'States.TaskFailed') continue;
        expect(errorNames, name).toContain(error);
      }
    }
  }
});

test('the timeouts of the order workflow are nested: call, function, task', () => {
  const functions = Object.values(templateOf('test').findResources('AWS::Lambda::Function'));
  const functionTimeouts = new Map(functions.map(({ Properties }) => [Properties.FunctionName, Properties.Timeout]));
  const { callSeconds, fileSeconds, tokenSeconds } = timeouts;
  const read = tokenSeconds + callSeconds;
  expect(read + tokenSeconds + callSeconds + callSeconds).toBeLessThan(timeouts.functionSeconds);
  expect(tokenSeconds + fileSeconds).toBeLessThan(timeouts.fileFunctionSeconds);
  for (const [name, state] of tasks.filter(([, { Parameters }]) => Parameters?.FunctionName)) {
    const id = state.Parameters?.FunctionName?.replace(/^\$\{|Arn\}$/g, '') ?? '';
    const functionName = `loan-orders-test${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    // The read before a wait for people says how long it lasts, and how long at least.
    const least = state.TimeoutSecondsPath === '$.waitSeconds' ? LEAST_WAIT_SECONDS : (state.TimeoutSeconds ?? 0);
    expect(functionTimeouts.get(functionName), name).toBeLessThan(least);
  }
});

test('statemachine/README.md has a row for each state and each error', () => {
  for (const [name] of all) expect(readme, name).toContain(`| ${name} |`);
  for (const name of errorNames) expect(readme, name).toContain(`\`${name}\``);
});

const deployed = Object.entries(policies) as [Policy, Retrier][];
const tasksWith = (policy: Policy) => Object.entries(retries).filter(([, names]) => names.includes(policy));

test('Create order is the exception: only it does not run a function again that may have run', () => {
  expect(retries['Create order']).toEqual(['not run', 'unavailable', 'throttled']);
  expect(tasksWith('not run').map(([name]) => name)).toEqual(['Create order']);
  const ended = ['Lambda.ServiceException', 'Lambda.Unknown', 'Sandbox.Timedout', 'OutcomeUnknown', 'States.ALL'];
  const retried = top['Create order']?.Retry?.flatMap(({ ErrorEquals = [] }) => ErrorEquals) ?? [];
  expect(retried.filter((name) => ended.includes(name))).toEqual([]);
  expect(retried).toContain('Lambda.TooManyRequestsException');
});

test('every other Task runs a function again that Lambda did not run or ended', () => {
  const { 'Create order': _exception, 'Continue in a new execution': _invokesNone, ...others } = retries;
  for (const [name, [first]] of Object.entries(others)) expect(first, name).toBe('not run or ended');
});

test('statemachine/README.md has the table of retries', () => {
  const rows = deployed.map(([policy, { ErrorEquals, IntervalSeconds, MaxDelaySeconds, MaxAttempts }]) => {
    const isWider = policy === 'not run or ended';
    const named = ErrorEquals.filter((name) => !isWider || !policies['not run'].ErrorEquals.includes(name));
    const errors = [...(isWider ? ['as _not run_'] : []), ...named.map((name) => `\`${name}\``)].join(', ');
    const waits = MaxAttempts === 0 ? '|' : `${IntervalSeconds} s | ${MaxDelaySeconds} s`;
    const tasks = tasksWith(policy).map(([name]) => `_${name}_`);
    return `| _${policy}_ | ${errors} | ${waits} | ${MaxAttempts} | ${tasks.join(', ')} |`;
  });
  const table = [
    '| Policy | Errors | First wait | Longest wait | Retries | Tasks |',
    '|---|---|---|---|---|---|',
    ...rows,
  ];
  const section = readme.split('\n## Retries\n')[1]?.split('\n## ')[0] ?? '';
  expect(section.split('\n').filter((line) => line.startsWith('|'))).toEqual(table);
});

/** The exceptions that the SDK declares for Invoke, as it describes them for editors. */
const DECLARED = 'node_modules/@aws-sdk/client-lambda/dist-types/commands/InvokeCommand.d.ts';

/** A newer release has removed the function, and the right to invoke it: the next execution uses the new one. */
const REMOVED = ['Lambda.ResourceNotFoundException', 'Lambda.AccessDeniedException'];
/** A person must change something: a key, a network, the request. Or we do not use the feature. */
const FOR_A_PERSON =
  `CodeArtifactUserDeleted CodeArtifactUserFailed CodeArtifactUserPending DurableExecutionAlreadyStarted
  EC2AccessDenied EFSIO EFSMountConnectivity EFSMountFailure EFSMountTimeout InvalidParameterValue InvalidRequestContent InvalidRuntime
  InvalidSecurityGroupID InvalidSubnetID InvalidZipFile KMSAccessDenied KMSDisabled KMSInvalidState KMSNotFound ModeNotSupported
  NoPublishedVersion RecursiveInvocation RequestTooLarge S3FilesMountConnectivity S3FilesMountFailure S3FilesMountTimeout
  SerializedRequestEntityTooLarge ServiceQuotaExceeded SnapStart SnapStartNotReady SnapStartRegenerationFailure SnapStartTimeout
  UnsupportedMediaType`
    .split(/\s+/)
    .map((name) => `Lambda.${name}Exception`);

test('every exception that the SDK declares for Invoke has its place', () => {
  const declared = readFileSync(DECLARED, 'utf8').matchAll(/@throws \{@link (\w+)\} \((?:client|server) fault\)/g);
  const names = [...declared].map(([, name]) => `Lambda.${name}`);
  // Step Functions adds names of its own.
  const known = ['AWSLambda', 'SdkClient', 'ClientExecutionTimeout', 'AccessDenied'];
  const own = known.map((name) => `Lambda.${name}Exception`);
  const placed = [...NOT_RUN, ...MAY_HAVE_RUN, ...REMOVED, ...FOR_A_PERSON].filter((name) => !own.includes(name));
  expect(names.toSorted()).toEqual(placed.toSorted());
});

test('after a fault of Lambda that passes an order goes on by itself, and after a function that was ended a person looks', () => {
  const resumed = (error: string) => resumptionAfter({ error, at: 0 }, undefined, 72) !== undefined;
  expect([...NOT_RUN, ...MAY_HAVE_RUN, ...REMOVED].filter((error) => !resumed(error))).toEqual([]);
  expect(ENDED.filter(resumed)).toEqual([]);
});
