import {
  type CloudFormationClient,
  DeleteStackCommand,
  ListStackResourcesCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { DeleteObjectCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { paginateListExecutions, SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';

/** Deletes a stack of the suite. What would hold it, objects and running executions, goes first. */
export async function removeStack(client: CloudFormationClient, StackName: string, settings: object): Promise<void> {
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
  for await (const { executions = [] } of paginateListExecutions({ client }, running)) {
    for (const { executionArn } of executions) await client.send(new StopExecutionCommand({ executionArn }));
  }
}
