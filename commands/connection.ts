import {
  CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientDefaults } from '../functions/shared/aws-client.ts';
import { Executions } from './executions.ts';
import { OrderRecord } from './record.ts';
import { Refusal } from './refusal.ts';

/** Options that every command takes. */
export interface ConnectionOptions {
  stage: string;
  local?: true;
  endpoint?: string;
}

/** A stage's order table and state machine, found: what the commands work with. */
export interface Connection {
  record: OrderRecord;
  executions: Executions;
}

const LAPTOP_ENDPOINT = 'http://127.0.0.1:4566';

/**
 * Finds the stage by the outputs of its stack. On AWS the SDK's usual environment says where and as whom.
 * @throws Refusal when the stage is not deployed there.
 */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { settings, outputs } = await findStack(options, `LoanOrders-${options.stage}`);
  const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(settings));
  return {
    record: new OrderRecord(dynamodb, outputs('OrderTable')),
    executions: new Executions(new SFNClient(settings), outputs('OrderStateMachine')),
  };
}

/**
 * Finds a stack: how SDK clients reach it, and its outputs by name, each of which it must have.
 * @throws Refusal when it is not there.
 */
export async function findStack(options: ConnectionOptions, stackName: string) {
  const settings = { ...clientDefaults, ...(options.local && laptop(options)) };
  const outputs = await stackOutputs(new CloudFormationClient(settings), stackName, place(options));
  return { settings, outputs };
}

function laptop({ endpoint = LAPTOP_ENDPOINT }: ConnectionOptions) {
  return { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
}

/** Where the commands work, in words. */
export function place({ local, endpoint = LAPTOP_ENDPOINT }: ConnectionOptions): string {
  if (local) return `the laptop's AWS at ${endpoint}`;
  return process.env.AWS_ENDPOINT_URL ? `AWS at ${process.env.AWS_ENDPOINT_URL}` : 'AWS';
}

async function stackOutputs(client: CloudFormationClient, StackName: string, where: string) {
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName })).catch((error: Error) => {
    throw isMissingStack(error) ? missing(StackName, where) : error;
  });
  if (!stack) throw missing(StackName, where);
  return (name: string): string => {
    const value = stack.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (value) return value;
    throw new Refusal(
      `Stack ${StackName} has no output ${name}: nothing was done. Deploy the stage again, then repeat.`,
    );
  };
}

function isMissingStack(error: Error): boolean {
  return error instanceof CloudFormationServiceException && /does not exist/.test(error.message);
}

function missing(stackName: string, where: string): Refusal {
  return new Refusal(
    `There is no stack ${stackName} in this account and region of ${where}: nothing was done. Name the stage with --stage, ` +
      'and check AWS_PROFILE and AWS_REGION.',
  );
}
