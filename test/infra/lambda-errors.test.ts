import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ENDED, MAY_HAVE_RUN, NOT_RUN } from '../../core/aws/lambda-errors.ts';
import { resumptionAfter } from '../../core/recovery/outage.ts';

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
  const own = ['AWSLambda', 'SdkClient', 'ClientExecutionTimeout', 'AccessDenied'].map(
    (name) => `Lambda.${name}Exception`,
  );
  const placed = [...NOT_RUN, ...MAY_HAVE_RUN, ...REMOVED, ...FOR_A_PERSON].filter((name) => !own.includes(name));
  expect(names.toSorted()).toEqual(placed.toSorted());
});

test('after a fault of Lambda that passes an order goes on by itself, and after a function that was ended a person looks', () => {
  const resumed = (error: string) => resumptionAfter({ error, at: 0 }, undefined, 72) !== undefined;
  expect([...NOT_RUN, ...MAY_HAVE_RUN, ...REMOVED].filter((error) => !resumed(error))).toEqual([]);
  expect(ENDED.filter(resumed)).toEqual([]);
});
