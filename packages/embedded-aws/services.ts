import type { Account } from './account.ts';
import { Changes } from './changes.ts';
import { createCloudFormation } from './cloudformation/service.ts';
import { DynamoDbService } from './dynamodb/service.ts';
import { EventBus } from './events/bus.ts';
import { EncryptionKeys } from './iam/key-rights.ts';
import { IamService } from './iam/service.ts';
import { createKms } from './kms/service.ts';
import { FunctionUrls } from './lambda/function-urls.ts';
import { LambdaLog } from './lambda/log.ts';
import { LambdaService } from './lambda/service.ts';
import type { LocalAwsOptions } from './options.ts';
import { BodyStore } from './s3/body-store.ts';
import { createNotifier } from './s3/notifications.ts';
import { S3Service } from './s3/service.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { createSecretsManager } from './secrets-manager/service.ts';
import { createTopics } from './sns/topics.ts';
import { SqsService } from './sqs/service.ts';
import { type Engine, loadEngine } from './step-functions/engine.ts';
import type { IntegrationServices } from './step-functions/integrations.ts';
import { StepFunctionsService } from './step-functions/service.ts';
import { TaskTokens } from './step-functions/task-tokens.ts';
import { Activity } from './time/activity.ts';
import { type Clock, VirtualClock } from './time/clock.ts';

/** Credentials for any SDK. Signatures are not verified. Only the access keys of functions and of people are restricted. */
export const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The services of the embedded AWS, connected to each other. */
export class Services {
  readonly account: Account;
  readonly clock: Clock;
  readonly options: LocalAwsOptions;
  readonly activity = new Activity();
  readonly changes = new Changes();
  readonly log: LambdaLog;
  readonly bus: EventBus;
  readonly scheduler: Scheduler;
  readonly bodies: BodyStore;
  readonly s3: S3Service;
  readonly dynamoDb: DynamoDbService;
  readonly secretsManager: ReturnType<typeof createSecretsManager>;
  readonly kms: ReturnType<typeof createKms>;
  readonly iam: IamService;
  readonly encryptionKeys: EncryptionKeys;
  readonly cloudFormation: ReturnType<typeof createCloudFormation>;
  readonly sqs: SqsService;
  readonly topics = createTopics(this.changes);
  readonly lambda: LambdaService;
  readonly functionUrls: FunctionUrls;
  readonly engine: Engine;
  readonly stepFunctions: StepFunctionsService;
  readonly integrations: IntegrationServices;
  /** For files, until the end. */
  readonly directory: string;
  readonly #endpoint: string;

  constructor(
    account: Account,
    clock: Clock,
    options: LocalAwsOptions,
    place: { directory: string; endpoint: string },
  ) {
    this.account = account;
    this.clock = clock;
    this.options = options;
    this.directory = place.directory;
    this.#endpoint = place.endpoint;
    const { activity } = this;
    this.log = new LambdaLog(clock, options.onLog);
    this.bus = new EventBus(account, clock, activity, {
      wrapper: options.deliveryWrapper,
      refusal: options.entryRefusal,
      listener: (bus, event) => this.changes.publish({ type: 'event', bus, event }),
    });
    this.scheduler = new Scheduler({ clock, activity, wrapper: options.deliveryWrapper });
    this.bodies = new BodyStore(place.directory);
    const notifier = createNotifier(this.bus, account, this.changes);
    this.s3 = new S3Service({ buckets: new Map(), bodies: this.bodies, clock, notifier });
    this.dynamoDb = new DynamoDbService(account, this.changes, clock);
    this.secretsManager = createSecretsManager(clock);
    this.kms = createKms(account);
    this.iam = new IamService(account, options.functionStatements);
    this.encryptionKeys = new EncryptionKeys(account);
    this.cloudFormation = createCloudFormation(account, clock);
    this.sqs = new SqsService(account, place.endpoint);
    this.lambda = new LambdaService(clock, {
      threads: options.lambdaThreads ?? 3,
      clockSkew: options.clockSkew,
      time: clock instanceof VirtualClock ? clock.shared : undefined,
    });
    this.functionUrls = new FunctionUrls(this.lambda, activity);
    this.engine = loadEngine(clock);
    const { bus, engine, lambda, sqs } = this;
    const tokens = new TaskTokens();
    const { region } = account;
    this.stepFunctions = new StepFunctionsService(account, { engine, clock, activity, tokens, bus, region });
    const startExecution: IntegrationServices['startExecution'] = (input) => this.stepFunctions.startExecution(input);
    this.integrations = { lambda, sqs, startExecution };
  }

  /** Environment variables for an SDK or the CLI. A function's access key is its name. */
  sdkEnvironment(accessKeyId = CREDENTIALS.accessKeyId): Record<string, string> {
    return {
      AWS_ENDPOINT_URL: this.#endpoint,
      AWS_REGION: this.account.region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    };
  }

  /** Deletes all stored data, messages, logs and executions. Resources, loaded functions and the values of secrets stay. */
  async forget(): Promise<void> {
    this.stepFunctions.forget();
    this.scheduler.forget();
    if (this.clock instanceof VirtualClock) this.clock.forget();
    this.dynamoDb.forget();
    this.sqs.forget();
    this.log.forget();
    await this.s3.forget();
  }

  async close(): Promise<void> {
    this.scheduler.close();
    this.bus.close();
    this.stepFunctions.discardAll();
    await this.functionUrls.close();
    await this.lambda.close();
  }
}
