import { type AccountLimit, GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DescribeSecretCommand, GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { credentialsIn } from '../../core/service/token-request.ts';
import { LEAST_UNRESERVED } from '../../infra/deployed-settings.ts';
import { ignoring, isAccessDenied } from '../shared/failure.ts';
import { clientSettings, queueClientSettings } from '../shared/place.ts';
import { some, time } from '../shared/text.ts';
import { isEmulated } from './alarm-checks.ts';
import { NotChecked, ok, problem, type Verdict } from './finding.ts';
import { output, type StageView, settingsIn, settingsOf } from './stage-view.ts';

/** The functions that have queues, with the prefix of their outputs' names. */
export const QUEUED = { 'check-package': 'CheckPackage', 'receive-upload': 'ReceiveUpload', 'record-end': 'RecordEnd' };

const COUNTS = (['', 'NotVisible', 'Delayed'] as const).map((state) => `ApproximateNumberOfMessages${state}` as const);

export async function checkSecret(view: StageView): Promise<Verdict> {
  const SecretId = output(view, 'CredentialsSecret');
  const secrets = new SecretsManagerClient(clientSettings(view.options));
  const advice = 'Put the credentials into it (docs/deployment.md#credentials).';
  const described = await describeSecret(secrets, SecretId, advice);
  if (described.state !== 'ok') return described;
  // The value stays in this process. Operators may not read it.
  const value = await secrets.send(new GetSecretValueCommand({ SecretId })).catch(ignoring(isAccessDenied));
  if (!value) {
    return ok(
      `${described.message} Whether it is complete was not checked: these credentials may not read it. The functions do, and ` +
        'the alarm credentials-refused tells if the credentials are refused.',
    );
  }
  try {
    credentialsIn(value.SecretString ?? '');
  } catch (error) {
    return problem((error as Error).message);
  }
  return ok(`${described.message} It has client_id and client_secret.`);
}

/** Only a stage with a client certificate has this check. */
export async function checkClientCertificate(view: StageView): Promise<Verdict> {
  const secrets = new SecretsManagerClient(clientSettings(view.options));
  const advice = 'Put the certificate and its key into it (docs/deployment.md#client-certificate).';
  return describeSecret(secrets, output(view, 'ClientCertificateSecret'), advice);
}

/** Only a stage with `callsAtOnce` has this check. It works before the first deployment, which would fail. */
export async function checkCallsAtOnce(view: StageView): Promise<Verdict> {
  if (isEmulated(view)) return ok('The laptop has no quota of concurrent executions.');
  if (view.mismatch !== undefined) throw new NotChecked('the account or the region is not the one of the stage');
  const client = new LambdaClient(clientSettings(view.options));
  const { AccountLimit = {} } = await client.send(new GetAccountSettingsCommand({}));
  return callsVerdict(settingsIn(view).callsAtOnce ?? 0, AccountLimit, settingsOf(view.stack)?.callsAtOnce);
}

/** @param reserved what the deployed stack has reserved. */
export function callsVerdict(calls: number, limit: AccountLimit, reserved = 0): Verdict {
  const { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: free = 0 } = limit;
  const most = Math.max(0, free + reserved - LEAST_UNRESERVED);
  if (calls <= most) return ok(`callsAtOnce ${calls} fits into the account's ${quota} concurrent executions.`);
  return problem(
    `callsAtOnce is ${calls}, but of the account's ${quota} concurrent executions ${most} can be reserved for it. Ask AWS for a larger ` +
      'quota, or lower the setting (docs/settings.md#calls-at-once): the next deployment fails.',
  );
}

async function describeSecret(secrets: SecretsManagerClient, SecretId: string, advice: string): Promise<Verdict> {
  const described = await secrets.send(new DescribeSecretCommand({ SecretId }));
  const { Name, DeletedDate, LastChangedDate, VersionIdsToStages = {} } = described;
  if (DeletedDate) {
    return problem(`Secret ${Name} is scheduled for deletion. Restore it ("aws secretsmanager restore-secret").`);
  }
  if (!Object.values(VersionIdsToStages).flat().includes('AWSCURRENT')) {
    return problem(`Secret ${Name} has no value. ${advice}`);
  }
  const changed = LastChangedDate ? `, changed at ${time(LastChangedDate.toISOString())}` : '';
  return ok(`Secret ${Name} has a value${changed}.`);
}

/** CloudFormation waits until no execution of a state machine runs, for hours if people are waited for. */
export async function checkNoneRuns(view: StageView): Promise<Verdict> {
  const client = new SFNClient(clientSettings(view.options));
  const running = {
    statusFilter: 'RUNNING',
    maxResults: 1,
    stateMachineArn: output(view, 'OrderStateMachine'),
  } as const;
  const { executions: [execution] = [] } = await client.send(new ListExecutionsCommand(running));
  if (execution === undefined) return ok('No execution runs: the stage can be removed.');
  return problem(
    `Execution ${execution.name} runs. Stop all ("loan-orders abort --all"), or the removal waits for them.`,
  );
}

/** Waiting events are not a problem in themselves: only CloudWatch knows how old they are. */
export async function checkQueues(view: StageView): Promise<Verdict> {
  const counts = await countMessages(view, 'QueueUrl', QUEUED);
  return ok(`Events on their way: ${counts.map(({ name, count }) => `${name} ${count}`).join(', ')}.`);
}

export async function checkDeadLetters(view: StageView): Promise<Verdict> {
  const counts = await countMessages(view, 'DeadLetterQueueUrl', { ...QUEUED, 'sweep-orders': '' });
  const failed = counts.filter(({ count }) => count > 0);
  if (failed.length === 0) return ok('There are no dead letters.');
  const total = failed.reduce((sum, { count }) => sum + count, 0);
  const client = new SQSClient(queueClientSettings(view.options));
  const each: string[] = [];
  for (const queue of failed)
    each.push(`${queue.count} in ${queue.QueueUrl.split('/').at(-1)}${await since(client, queue)}`);
  return problem(
    `There ${total === 1 ? 'is' : 'are'} ${some(total, 'dead letter')}: ${each.join(', ')}. Fix the cause, then move what failed ` +
      'back (docs/operations.md#events-that-failed).',
  );
}

/** SQS returns ten messages at once, in any order. Messages that others receive are hidden; these stay visible. */
const MOST_SHOWN = 10;

/** The age of the messages in words: when the first one was sent. */
async function since(client: SQSClient, { QueueUrl, count }: { QueueUrl: string; count: number }): Promise<string> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: MOST_SHOWN,
      VisibilityTimeout: 0,
      // Queries all servers of the queue.
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ['SentTimestamp'],
    }),
  );
  if (Messages.length === 0) return '';
  const first = Math.min(...Messages.map(({ Attributes }) => Number(Attributes?.SentTimestamp)));
  return `, since ${time(new Date(first).toISOString())}${count > Messages.length ? ' or earlier' : ''}`;
}

/** How many messages each function's queue holds, hidden ones included. */
async function countMessages(view: StageView, suffix: string, prefixes: Record<string, string>) {
  const client = new SQSClient(queueClientSettings(view.options));
  const counts: { name: string; QueueUrl: string; count: number }[] = [];
  for (const [name, prefix] of Object.entries(prefixes)) {
    const QueueUrl = output(view, `${prefix}${suffix}`);
    const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: COUNTS }));
    counts.push({ name, QueueUrl, count: COUNTS.reduce((sum, one) => sum + Number(Attributes[one] ?? 0), 0) });
  }
  return counts;
}
