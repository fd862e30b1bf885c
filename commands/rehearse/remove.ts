import { setTimeout as pause } from 'node:timers/promises';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DeleteObjectCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { paginateListExecutions, SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { ordersStackName, simulatorStackName } from '../../infra/names.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { ignoring } from '../shared/failure.ts';
import { runningRehearsal } from '../shared/laptops.ts';
import { clientSettings, type PlaceOptions } from '../shared/place.ts';
import { runCdk } from '../shared/project.ts';
import { findStack, homeOf, namesInStack, stackOutputs } from '../shared/stack-outputs.ts';
import { Refusal } from '../shared/text.ts';
import { type Rehearsal, stacksOf } from './rehearsal.ts';

export async function remove({ place, say }: Rehearsal): Promise<Finding[]> {
  say('Removing everything …');
  return [finding('remove', true, place.local ? await endEmbedded() : await removeFromAws(place))];
}

/** Ends the process that `deploy` has started. */
async function endEmbedded(): Promise<string> {
  const running = await runningRehearsal();
  if (!running) return 'Nothing was deployed on this machine.';
  process.kill(running.pid, 'SIGTERM');
  for (const end = Date.now() + 30_000; Date.now() < end; await pause(100)) {
    if (!(await runningRehearsal())) return 'The embedded AWS has ended, with all that it held.';
  }
  throw new Refusal(`Process ${running.pid} with the embedded AWS does not end.`);
}

async function removeFromAws(place: PlaceOptions): Promise<string> {
  const existing = await existingStacks(place);
  if (existing.length === 0) return 'Nothing was deployed.';
  await refuseOther(place, existing);
  if (existing.includes(ordersStackName(await homeOf(place)))) await empty(place);
  const code = await runCdk('destroy', place.stage, ['--force'], ['ignore', 2, 2]);
  const left = await existingStacks(place);
  if (code === 0 && left.length === 0) return `${existing.length} stacks were deleted, and what they held.`;
  throw new Refusal(`cdk destroy failed; its output says why. Still there: ${left.join(', ')}.`);
}

/** @throws Refusal if the stage of this name is not a rehearsal: somebody's own stage may have had the name. */
async function refuseOther(place: PlaceOptions, existing: string[]): Promise<void> {
  const home = await homeOf(place);
  const ofOrders = ordersStackName(home);
  if (!existing.includes(ofOrders)) return;
  // Refuses another account or region than the stage's file says.
  await stackOutputs(place).catch(ignoring(({ message }) => /has no output|does not exist/.test(message)));
  const keepsData = (await import('../../infra/stages.ts')).knownStage(place.stage)?.keepData ?? false;
  const reason = whyNoRehearsal(existing.includes(simulatorStackName(home)), keepsData);
  if (reason !== undefined) throw new Refusal(`Stack ${ofOrders} is no rehearsal: ${reason}. Nothing was removed.`);
}

export function whyNoRehearsal(hasSimulator: boolean, keepsData: boolean): string | undefined {
  if (keepsData) return 'its stage keeps data';
  return hasSimulator ? undefined : 'it has no simulator beside it';
}

async function existingStacks(place: PlaceOptions): Promise<string[]> {
  const client = new CloudFormationClient(clientSettings(place));
  const stacks = await stacksOf(place);
  const found = await Promise.all(stacks.map((name) => findStack(client, name)));
  return stacks.filter((_name, index) => found[index] !== undefined);
}

/** CloudFormation deletes neither a bucket with objects nor a state machine with running executions. */
export async function empty(place: PlaceOptions): Promise<void> {
  const isGone = ({ name }: Error) => name === 'NoSuchBucket' || name === 'StateMachineDoesNotExist';
  for (const machine of await namesInStack(place, 'AWS::StepFunctions::StateMachine'))
    await stopExecutions(place, machine).catch(ignoring(isGone));
  for (const bucket of await namesInStack(place, 'AWS::S3::Bucket'))
    await emptyBucket(place, bucket).catch(ignoring(isGone));
}

async function stopExecutions(place: PlaceOptions, stateMachineArn: string): Promise<void> {
  const client = new SFNClient(clientSettings(place));
  const running = { stateMachineArn, statusFilter: 'RUNNING' } as const;
  for await (const { executions = [] } of paginateListExecutions({ client }, running)) {
    for (const { executionArn } of executions) await client.send(new StopExecutionCommand({ executionArn }));
  }
}

async function emptyBucket(place: PlaceOptions, Bucket: string): Promise<void> {
  const client = new S3Client(clientSettings(place) as ConstructorParameters<typeof S3Client>[0] & object);
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
    const left = [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId = '' }) => ({ Bucket, Key, VersionId }));
    if (left.length === 0) return;
    await Promise.all(left.map((version) => client.send(new DeleteObjectCommand(version))));
  }
}
