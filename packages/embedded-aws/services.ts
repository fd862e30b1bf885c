import type { Account } from './account.ts';
import { Changes } from './changes.ts';
import { createCloudFormation } from './cloudformation/service.ts';
import { createDynamoDb } from './dynamodb/service.ts';
import { createEventBus } from './events/bus.ts';
import { createEncryptionKeys } from './iam/key-rights.ts';
import { createIam } from './iam/service.ts';
import { createKms } from './kms/service.ts';
import { createHttpApis } from './lambda/http-apis.ts';
import { createLambdaLog } from './lambda/log.ts';
import { LambdaService } from './lambda/service.ts';
import type { LocalAwsOptions } from './options.ts';
import { createBodyStore } from './s3/body-store.ts';
import { createNotifier } from './s3/notifications.ts';
import { createS3 } from './s3/service.ts';
import { createScheduler } from './scheduler/scheduler.ts';
import { createSecretsManager } from './secrets-manager/service.ts';
import { createTopics } from './sns/topics.ts';
import { createSqs } from './sqs/service.ts';
import { loadEngine } from './step-functions/engine.ts';
import type { IntegrationServices } from './step-functions/integrations.ts';
import { createStepFunctions } from './step-functions/service.ts';
import { TaskTokens } from './step-functions/task-tokens.ts';
import { Activity } from './time/activity.ts';
import { type Clock, VirtualClock } from './time/clock.ts';

/** Credentials for SDKs, without restrictions. Only access keys of functions and people are restricted. Signatures are not verified. */
export const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

export type Services = ReturnType<typeof createServices>;

/** Creates and connects the services of the embedded AWS. They store files in `directory`, which the caller removes. */
export function createServices(
  account: Account,
  clock: Clock,
  options: LocalAwsOptions,
  { directory, endpoint }: { directory: string; endpoint: string },
) {
  const { region } = account;
  const [activity, changes, bodies] = [new Activity(), new Changes(), createBodyStore(directory)];
  const log = createLambdaLog(clock, options.onLog);
  const bus = createEventBus(account, clock, activity, changes, options);
  const scheduler = createScheduler(clock, activity, options.deliveryWrapper);
  const s3 = createS3({ buckets: new Map(), bodies, clock, notifier: createNotifier(bus, account, changes) });
  const dynamoDb = createDynamoDb(account, changes, clock);
  const sqs = createSqs(account, endpoint);
  const lambda = new LambdaService(clock, {
    threads: options.lambdaThreads ?? 3,
    clockSkew: options.clockSkew,
    time: clock instanceof VirtualClock ? clock.shared : undefined,
  });
  const httpApis = createHttpApis(lambda, activity);
  const engine = loadEngine(clock);
  const tokens = new TaskTokens();
  const stepFunctions = createStepFunctions(account, { engine, clock, activity, tokens, bus, region });
  const integrations: IntegrationServices = { lambda, sqs, startExecution: stepFunctions.startExecution };
  return {
    account,
    clock,
    options,
    directory,
    activity,
    changes,
    bodies,
    log,
    bus,
    scheduler,
    s3,
    dynamoDb,
    sqs,
    lambda,
    httpApis,
    engine,
    stepFunctions,
    integrations,
    secretsManager: createSecretsManager(clock),
    kms: createKms(account),
    iam: createIam(account),
    encryptionKeys: createEncryptionKeys(account),
    cloudFormation: createCloudFormation(account, clock),
    topics: createTopics(changes),
    /** Environment variables for an SDK or the CLI. A function's access key is its name. */
    sdkEnvironment: (accessKeyId = CREDENTIALS.accessKeyId): Record<string, string> => ({
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    }),
    /** Deletes stored data, messages, logs, timers and executions. Resources, loaded functions and the values of secrets stay. */
    reset: async (): Promise<void> => {
      stepFunctions.forget();
      scheduler.forget();
      if (clock instanceof VirtualClock) clock.forget();
      dynamoDb.forget();
      sqs.forget();
      log.forget();
      await s3.forget();
    },
    close: async (): Promise<void> => {
      scheduler.close();
      bus.close();
      stepFunctions.discardAll();
      await httpApis.close();
      await lambda.close();
    },
  };
}
