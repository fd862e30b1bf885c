import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
  ListStackResourcesCommand,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { CreateKeyCommand, type KeySpec, KMSClient } from '@aws-sdk/client-kms';
import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { paginateListExecutions, SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { startLocalAws } from '@business-loan-orders/embedded-aws';
import { writeAssembly } from '../../packages/embedded-aws/test/write-assembly.ts';
import type { EngineName, Scope } from './case.ts';
import { startMoto, walkAll } from './moto.ts';
import { template, templateWithoutApi } from './template.ts';

export interface Engine {
  /** Undefined for an engine that nothing is known of, such as a real account. */
  name?: EngineName;
  settings: object;
  scope: Scope;
  /** Settings of a client with the rights of `restrictions` in template.ts. */
  restricted: object;
  /** Seconds until everybody sees what was written. */
  patience: number;
  /** Runs the definitions of statemachine/ on the engine's interpreter, if it has one that can be told what functions answer. */
  walk?(): ReturnType<typeof walkAll>;
  close(): Promise<void>;
}

export async function startEmbedded(): Promise<Engine> {
  const stack = 'Conformance';
  const assemblyDirectory = writeAssembly({ [stack]: template });
  const aws = await startLocalAws({ assemblyDirectory });
  const scope = { ...aws.outputs[stack] };
  const settings = { ...aws.clientSettings, forcePathStyle: true, maxAttempts: 1 };
  return {
    name: 'embedded',
    patience: 2,
    settings,
    scope,
    restricted: { ...settings, credentials: await assumed(settings, scope.restrictedRole) },
    close: async () => {
      await aws.close();
      await rm(assemblyDirectory, { recursive: true, force: true });
    },
  };
}

export async function startOnMoto(): Promise<Engine> {
  const moto = await startMoto();
  try {
    const settings = {
      endpoint: moto.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'conformance', secretAccessKey: 'conformance' },
      forcePathStyle: true,
    };
    const stack = await createStack(settings, templateWithoutApi);
    Object.assign(stack.scope, await createMissing(settings, stack.scope));
    return { name: 'moto', patience: 5, settings, ...stack, walk: () => walkAll(settings), close: () => moto.close() };
  } catch (error) {
    await moto.close();
    throw error;
  }
}

/** CloudFormation of moto 5.2.1 has no secrets, only encryption keys, and no versions in buckets. It has no HTTP APIs either. */
async function createMissing(settings: object, { bucket }: Scope): Promise<Scope> {
  const VersioningConfiguration = { Status: 'Enabled' } as const;
  await new S3Client(settings).send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
  const kms = new KMSClient(settings);
  const secrets = new SecretsManagerClient(settings);
  const key = async (KeySpec: KeySpec) => {
    const { KeyMetadata } = await kms.send(new CreateKeyCommand({ KeySpec, KeyUsage: 'SIGN_VERIFY' }));
    return KeyMetadata?.KeyId ?? '';
  };
  const secret = async (Name: string, more: object) =>
    (await secrets.send(new CreateSecretCommand({ Name, ...more }))).ARN ?? '';
  return {
    ecKey: await key('ECC_NIST_P256'),
    rsaKey: await key('RSA_2048'),
    secret: await secret('full', { SecretString: 'first' }),
    emptySecret: await secret('empty', {}),
  };
}

/** The account of the SDK's environment. */
export async function startOnAccount(): Promise<Engine> {
  const settings = { forcePathStyle: true };
  return { patience: 60, settings, ...(await createStack(settings)) };
}

/** Creates the resources as one stack with a name of its own, and says so first. */
async function createStack(
  settings: object,
  resources: object = template,
): Promise<Pick<Engine, 'scope' | 'restricted' | 'close'>> {
  const client = new CloudFormationClient(settings);
  const StackName = `conformance-${randomUUID().slice(0, 8)}`;
  console.log(`The suite creates the stack ${StackName}, touches nothing outside it, and deletes it at the end.`);
  const TemplateBody = JSON.stringify(resources);
  await client.send(new CreateStackCommand({ StackName, TemplateBody, Capabilities: ['CAPABILITY_IAM'] }));
  const close = () => removeStack(client, StackName, settings);
  try {
    await waitUntilStackCreateComplete({ client, maxWaitTime: 600 }, { StackName });
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    const outputs = stack?.Outputs ?? [];
    const scope = Object.fromEntries(outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue ?? '']));
    return { scope, restricted: { ...settings, credentials: await assumed(settings, scope.restrictedRole) }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function assumed(settings: object, RoleArn = ''): Promise<object> {
  const client = new STSClient(settings);
  const { Credentials: given } = await client.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'restricted' }));
  return {
    accessKeyId: given?.AccessKeyId,
    secretAccessKey: given?.SecretAccessKey,
    sessionToken: given?.SessionToken,
  };
}

/** Deletes a stack of the suite. What would hold it, objects and running executions, goes first. */
async function removeStack(client: CloudFormationClient, StackName: string, settings: object): Promise<void> {
  const { StackResourceSummaries: found = [] } = await client.send(new ListStackResourcesCommand({ StackName }));
  const idOf = (type: string) => found.find(({ ResourceType }) => ResourceType === type)?.PhysicalResourceId;
  const [bucket, machine] = [idOf('AWS::S3::Bucket'), idOf('AWS::StepFunctions::StateMachine')];
  if (bucket) await emptyBucket(bucket, settings);
  if (machine) await stopExecutions(machine, settings);
  await client.send(new DeleteStackCommand({ StackName }));
  await waitUntilStackDeleteComplete({ client, maxWaitTime: 600 }, { StackName });
  console.log(`The stack ${StackName} is deleted.`);
}

async function emptyBucket(Bucket: string, settings: object): Promise<void> {
  const client = new S3Client(settings);
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
    const left = [...Versions, ...DeleteMarkers];
    if (left.length === 0) return;
    for (const { Key, VersionId } of left) await client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
  }
}

async function stopExecutions(stateMachineArn: string, settings: object): Promise<void> {
  const client = new SFNClient(settings);
  const running = { stateMachineArn, statusFilter: 'RUNNING' } as const;
  for await (const { executions = [] } of paginateListExecutions({ client }, running))
    for (const { executionArn } of executions) await client.send(new StopExecutionCommand({ executionArn }));
}
