import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { resumptionAfter } from '../../core/recovery/outage.ts';
import { orderDefinition } from '../../statemachine/order-definition.ts';

interface State {
  Resource?: string;
  Retry?: { ErrorEquals: string[]; MaxAttempts: number }[];
  ItemProcessor?: { States: Record<string, State> };
}

/** The exceptions that the SDK declares for Invoke, as it describes them for editors. */
const DECLARED = 'node_modules/@aws-sdk/client-lambda/dist-types/commands/InvokeCommand.d.ts';

/** Nothing ran, and it passes by itself: a quota, or a network connection that Lambda makes again for a function that was idle for weeks. */
const NOT_RUN = [
  'Lambda.TooManyRequestsException',
  'Lambda.ResourceNotReadyException',
  // An inactive function is Pending while Lambda connects it again (Lambda Developer Guide, "Lambda function states").
  'Lambda.ResourceConflictException',
  'Lambda.EC2ThrottledException',
  'Lambda.EC2UnexpectedException',
  'Lambda.ENILimitReachedException',
  'Lambda.ENINotReadyException',
  'Lambda.SubnetIPAddressLimitReachedException',
];
/** Lambda failed, and the function may have run (Step Functions Developer Guide, "Handle transient Lambda service exceptions"). */
const MAY_HAVE_RUN = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
];
/** The function was ended in the middle of its work. Lambda.Unknown: Lambda did not say how. */
const ENDED = ['Lambda.Unknown', 'Sandbox.Timedout', 'Runtime.ExitError', 'Runtime.OutOfMemory'];
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

function retriers({ States }: { States: object }): [name: string, retry: NonNullable<State['Retry']>][] {
  const statesIn = (states: Record<string, State>): [string, State][] =>
    Object.entries(states).flatMap(([name, state]) => [
      [name, state] as [string, State],
      ...statesIn(state.ItemProcessor?.States ?? {}),
    ]);
  const invoking = statesIn(States as Record<string, State>).filter(([, { Resource }]) =>
    Resource?.includes(':lambda:'),
  );
  return invoking.map(([name, { Retry = [] }]) => [name, Retry]);
}

test('every exception that the SDK declares for Invoke has its place', () => {
  const declared = readFileSync(DECLARED, 'utf8').matchAll(/@throws \{@link (\w+)\} \((?:client|server) fault\)/g);
  const names = [...declared].map(([, name]) => `Lambda.${name}`);
  // Step Functions adds names of its own.
  const own = ['AWSLambda', 'SdkClient', 'ClientExecutionTimeout', 'AccessDenied'].map(
    (name) => `Lambda.${name}Exception`,
  );
  const placed = [...NOT_RUN, ...MAY_HAVE_RUN, ...REMOVED, ...FOR_A_PERSON].filter((name) => !own.includes(name));
  expect(names.toSorted()).toEqual(placed.toSorted());
});

test('every task retries the faults of Lambda that pass, and those alone', () => {
  for (const [name, retry] of retriers(orderDefinition())) {
    const expected = name === 'Create order' ? NOT_RUN : [...NOT_RUN, ...MAY_HAVE_RUN, ...ENDED];
    expect(retry[0]?.ErrorEquals.toSorted(), name).toEqual(expected.toSorted());
    const others = retry.slice(1).flatMap(({ ErrorEquals }) => ErrorEquals);
    expect(
      others.filter((error) => error.includes('.')),
      name,
    ).toEqual([]);
  }
});

test('after a fault of Lambda that passes an order goes on by itself, and after a function that was ended a person looks', () => {
  const resumed = (error: string) => resumptionAfter({ error, at: 0, heard: undefined }, undefined, 72) !== undefined;
  expect([...NOT_RUN, ...MAY_HAVE_RUN, ...REMOVED].filter((error) => !resumed(error))).toEqual([]);
  expect(ENDED.filter(resumed)).toEqual([]);
});
