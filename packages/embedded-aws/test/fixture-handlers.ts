/** The functions of the fixture app. They are bundled into one asset, like the handlers of a project. */
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';

const dynamoDb = new DynamoDBClient({});
const s3 = new S3Client({});
const stepFunctions = new SFNClient({});
const secretsManager = new SecretsManagerClient({});

interface ObjectCreated {
  detail: { bucket: { name: string }; object: { key: string; 'version-id': string } };
}

export async function intake(event: ObjectCreated): Promise<void> {
  const { bucket, object } = event.detail;
  const version = { Bucket: bucket.name, Key: object.key, VersionId: object['version-id'] };
  const { Body } = await s3.send(new GetObjectCommand(version));
  const order = JSON.parse((await Body?.transformToString()) ?? '') as { name: string };
  console.log(`intake of ${object.key}`);
  await stepFunctions.send(
    new StartExecutionCommand({
      stateMachineArn: process.env.STATE_MACHINE_ARN,
      name: order.name,
      input: JSON.stringify(order),
    }),
  );
}

export async function double(event: { number: number; from: string }) {
  if (event.number < 0) throw Object.assign(new Error(`${event.number} is negative`), { name: 'NegativeNumber' });
  return { doubled: event.number * 2, from: event.from };
}

let flakyCalls = 0;

export async function flaky() {
  flakyCalls += 1;
  if (flakyCalls < 3) throw Object.assign(new Error('Not yet'), { name: 'NotYet' });
  return { calls: flakyCalls };
}

export async function ask(event: { token: string; name: string }): Promise<void> {
  const Item = { id: { S: event.name }, token: { S: event.token }, kind: { S: 'question' } };
  await dynamoDb.send(new PutItemCommand({ TableName: process.env.TABLE_NAME, Item }));
}

export async function readSecret() {
  const { SecretString } = await secretsManager.send(new GetSecretValueCommand({ SecretId: process.env.SECRET_ARN }));
  return { secret: JSON.parse(SecretString ?? '') };
}

export async function readTable(event: { id: string }) {
  const Key = { id: { S: event.id } };
  const { Item } = await dynamoDb.send(new GetItemCommand({ TableName: process.env.TABLE_NAME, Key }));
  return Item;
}

export async function alwaysFail(event: unknown) {
  console.error('about to fail', JSON.stringify(event));
  throw new TypeError('It never works');
}
