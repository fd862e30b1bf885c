import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { HttpRequest } from '@smithy/core/protocols';
import { expect, it } from 'vitest';
import { startHandmade } from '../cloudformation/handmade-assembly.ts';

type Client = Pick<DynamoDBClient, 'middlewareStack'> & { send(command: object): Promise<unknown> };

/** A request to each service: its client, the command, and the name for which it is signed. */
const CALLS: [string, (config: object) => unknown, object][] = [
  ['dynamodb', (config) => new DynamoDBClient(config), new ListTablesCommand({})],
  ['s3', (config) => new S3Client({ ...config, forcePathStyle: true }), new ListBucketsCommand({})],
  ['sqs', (config) => new SQSClient(config), new ListQueuesCommand({})],
  ['events', (config) => new EventBridgeClient(config), new PutEventsCommand({ Entries: [] })],
  ['states', (config) => new SFNClient(config), new ListExecutionsCommand({ stateMachineArn: 'none' })],
  ['secretsmanager', (config) => new SecretsManagerClient(config), new GetSecretValueCommand({ SecretId: 'none' })],
  [
    'kms',
    (config) => new KMSClient(config),
    new SignCommand({ KeyId: 'none', Message: Buffer.from('a'), SigningAlgorithm: 'RSASSA_PSS_SHA_256' }),
  ],
  ['logs', (config) => new CloudWatchLogsClient(config), new DescribeLogGroupsCommand({})],
  ['cloudformation', (config) => new CloudFormationClient(config), new DescribeStacksCommand({ StackName: 'none' })],
  ['sts', (config) => new STSClient(config), new GetCallerIdentityCommand({})],
];

const SCOPE = /\/(\w+)\/aws4_request/;

/** The name of the error that the call gets, if its signature names the service `signedFor`. */
async function errorOf(client: Client, command: object, service: string, signedFor: string) {
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as HttpRequest;
      const { authorization = '' } = headers;
      expect(SCOPE.exec(authorization)?.[1]).toBe(service);
      headers.authorization = authorization.replace(SCOPE, `/${signedFor}/aws4_request`);
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  return client.send(command).then(
    () => undefined,
    ({ name }: Error) => name,
  );
}

// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html#signature-v4-troubleshooting-credential-scope
it.each(CALLS)('%s refuses a request that is signed for another service', async (service, open, command) => {
  const { config } = await startHandmade({ Stack: { Resources: {} } });
  const REFUSALS: Record<string, string> = {
    s3: 'AuthorizationHeaderMalformed',
    sts: 'SignatureDoesNotMatch',
    cloudformation: 'SignatureDoesNotMatch',
  };
  const refusal = REFUSALS[service] ?? 'InvalidSignatureException';
  for (const other of CALLS.map(([name]) => name).filter((name) => name !== service)) {
    expect(await errorOf(open(config) as Client, command, service, other)).toBe(refusal);
  }
  expect(await errorOf(open(config) as Client, command, service, service)).not.toBe(refusal);
});
