import { createHash, sign } from 'node:crypto';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type HistoryEvent, paginateGetExecutionHistory, paginateListExecutions, SFNClient } from '@aws-sdk/client-sfn';
import { makeSigner } from '../packages/detached-signatures/certificates.ts';
import { createDetachedSignature } from '../packages/detached-signatures/create-signature.ts';
import { type InvokeWrapper, type LocalAws, startLocalAws, VirtualClock } from '../packages/embedded-aws/index.ts';
import {
  type RecordedCall,
  type Simulator,
  type SimulatorSettings,
  startSimulator,
} from '../packages/order-simulator/index.ts';
import { type CountedRequest, countedRequest } from './aws-requests.ts';
import { BENCH_KEY, examplePackage, uploadPackage } from './laptop-client.ts';

/** One invocation of a function, with its requests and calls. */
export interface Invocation {
  /** Its folder below `functions/`. */
  name: string;
  requests: CountedRequest[];
  calls: RecordedCall[];
}

/** Everything that was counted for one order. */
export interface CountedOrder {
  invocations: Invocation[];
  requests: CountedRequest[];
  calls: RecordedCall[];
  events: HistoryEvent[];
}

const HOUR = 3_600_000;

/** Runs orders one after the other in virtual time and counts every request. Invocations of one function never overlap. */
export class CountingWorld {
  private readonly clock = new VirtualClock(Date.UTC(2026, 0, 1));
  private readonly requests: CountedRequest[] = [];
  private readonly invocations: Invocation[] = [];
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly signer = makeSigner('p-256');
  private simulator!: Simulator;
  private aws!: LocalAws;
  private outputs!: Record<string, string>;
  private s3!: S3Client;
  private stepFunctions!: SFNClient;

  static async start(assemblyDirectory: string): Promise<CountingWorld> {
    const world = new CountingWorld();
    const simulator = await startSimulator({
      now: () => world.clock.now(),
      settings: { pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 2 },
    });
    world.simulator = simulator;
    world.aws = await startLocalAws({
      assemblyDirectory,
      clock: world.clock,
      holdSchedules: true,
      invokeWrapper: world.countInvocation,
      requestWrapper: async (request) => {
        const counted = countedRequest(request);
        if (counted) world.requests.push(counted);
        return undefined;
      },
      functionEnvironment: {
        ORDER_SERVICE_URL: simulator.url,
        TOKEN_URL: `${simulator.authorizationUrl}/oauth2/token`,
      },
    });
    world.outputs = world.aws.outputs['LoanOrders-local'] ?? {};
    const settings = { ...world.aws.clientSettings, credentials: BENCH_KEY };
    world.s3 = new S3Client(settings);
    world.stepFunctions = new SFNClient(settings);
    const { clientId: client_id, clientSecret: client_secret } = simulator.settings;
    const SecretString = JSON.stringify({ client_id, client_secret });
    const secret = new PutSecretValueCommand({ SecretId: world.outputs.CredentialsSecret, SecretString });
    await new SecretsManagerClient(settings).send(secret);
    return world;
  }

  async close(): Promise<void> {
    await this.aws.close();
    await this.simulator.close();
  }

  /** Drives one order of the example to its end. The given settings stay in effect. */
  async run(orderRef: string, settings: Partial<SimulatorSettings> = {}): Promise<CountedOrder> {
    Object.assign(this.simulator.settings, settings);
    const [requests, invocations, calls] = [this.requests.length, this.invocations.length, this.callCount()];
    for (const file of examplePackage()) {
      await uploadPackage(this.s3, this.outputs.IntakeBucket ?? '', orderRef, [file]);
      // One event at a time: with two at once, the counts would vary.
      await this.aws.settle();
    }
    let isBegun = false;
    let isSigned = false;
    await this.aws.runUntil(
      async () => {
        if (!isSigned) isSigned = await this.sign(orderRef);
        const running = this.aws.describeRunning().length;
        isBegun ||= running > 0;
        return isBegun && running === 0;
      },
      { limitMilliseconds: HOUR },
    );
    await this.aws.settle();
    return {
      requests: this.requests.slice(requests),
      invocations: this.invocations.slice(invocations),
      calls: this.simulator.calls().slice(calls),
      events: await this.history(orderRef),
    };
  }

  private callCount(): number {
    return this.simulator.calls().length;
  }

  private readonly countInvocation: InvokeWrapper = async (functionName, _event, invoke) => {
    const before = this.turns.get(functionName) ?? Promise.resolve();
    const turn = before.then(async () => {
      const [requests, calls] = [this.requests.length, this.callCount()];
      const result = await invoke();
      this.invocations.push({
        name: functionName.replace('loan-orders-local-', ''),
        requests: this.requests.slice(requests).filter((request) => request.functionName === functionName),
        calls: this.simulator.calls().slice(calls),
      });
      return result;
    });
    this.turns.set(
      functionName,
      turn.catch(() => undefined),
    );
    return turn;
  };

  /** Plays the signer: signs every document if the page exists. Returns whether it did. */
  private async sign(orderRef: string): Promise<boolean> {
    const page = await this.staged(`orders/${orderRef}/to-sign.json`);
    if (!page) return false;
    const { documents } = JSON.parse(Buffer.from(page).toString()) as {
      documents: { key: string; signature: string }[];
    };
    for (const { key, signature } of documents) {
      const digest = createHash('sha256')
        .update((await this.staged(key)) ?? new Uint8Array())
        .digest();
      const Body = await createDetachedSignature({
        digest,
        digestAlgorithm: 'sha256',
        certificates: [this.signer.certificate],
        keyType: this.signer.keyType,
        signingTime: new Date(this.clock.now()),
        sign: async (data) => sign('sha256', data, this.signer.privateKey),
      });
      const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(signature) ?? [];
      await this.s3.send(new PutObjectCommand({ Bucket, Key, Body }));
      await this.aws.settle();
    }
    return true;
  }

  private async staged(Key: string): Promise<Uint8Array | undefined> {
    try {
      const { Body } = await this.s3.send(new GetObjectCommand({ Bucket: this.outputs.StagingBucket, Key }));
      return await Body?.transformToByteArray();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  /** The history events of all executions of the order. */
  private async history(orderRef: string): Promise<HistoryEvent[]> {
    const client = this.stepFunctions;
    const stateMachineArn = this.outputs.OrderStateMachine;
    const pages = await Array.fromAsync(paginateListExecutions({ client }, { stateMachineArn }));
    const executions = pages.flatMap(({ executions = [] }) => executions);
    const events: HistoryEvent[] = [];
    for (const { name, executionArn } of executions.filter(({ name }) => name?.startsWith(`${orderRef}-`))) {
      if (name === undefined) continue;
      for await (const page of paginateGetExecutionHistory({ client }, { executionArn }))
        events.push(...(page.events ?? []));
    }
    return events;
  }
}
