import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from './account.ts';
import type { ChangeListener } from './changes.ts';
import { type AssemblyStack, readAssembly } from './cloudformation/assembly.ts';
import { createDeployments, type Outputs } from './cloudformation/deployments.ts';
import type { LocalAwsOptions } from './options.ts';
import { listen, stop } from './protocol/listening.ts';
import { UnsupportedError } from './protocol/operation.ts';
import { createRouter } from './server.ts';
import { CREDENTIALS, createServices, type Services } from './services.ts';
import { type Clock, type RunUntilOptions, runUntil, SystemClock, VirtualClock } from './time/clock.ts';

export type { Change, ChangeListener } from './changes.ts';
export type { DeliveryWrapper, EntryRefusal } from './events/bus.ts';
export { compilePattern } from './events/pattern.ts';
export { itemContext } from './iam/item-context.ts';
export { hasResourceType } from './iam/resource-types.ts';
export type { InvokeWrapper } from './lambda/function.ts';
export type { LambdaLogLine } from './lambda/log.ts';
export type { InvocationResult } from './lambda/sandbox.ts';
export { sqsEvent } from './lambda/sqs-batch.ts';
export type { LocalAwsOptions } from './options.ts';
export type { Json } from './protocol/operation.ts';
export type { AwsRequest, RequestFault, RequestWrapper } from './request-wrapper.ts';
export { statusChangeEvent } from './step-functions/status-event.ts';
export { type Clock, SystemClock, VirtualClock } from './time/clock.ts';

export type LocalAws = ReturnType<typeof createHandle>;

/** Starts the stacks of a cloud assembly. Throws an UnsupportedError that names the first thing that is not supported. */
export async function startLocalAws(options: LocalAwsOptions): Promise<LocalAws> {
  const stacks = readAssembly(options.assemblyDirectory);
  const clock = options.clock ?? new SystemClock();
  const directory = await mkdtemp(join(tmpdir(), `local-aws-${process.pid}-`));
  const server = createServer();
  let services: Services | undefined;
  const close = async () => {
    await services?.close();
    await stop(server);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const endpoint = await listen(server, options.port ?? 0);
    services = createServices(accountOf(stacks), clock, options, { directory, endpoint });
    server.on('request', createRouter(services));
    const deploy = createDeployments(services);
    const outputs = await deploy(stacks);
    if (!options.holdSchedules) services.scheduler.start();
    return createHandle(services, deploy, { endpoint, outputs, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** All stacks share one account and region: those of the app, or made-up ones. */
function accountOf(stacks: readonly AssemblyStack[]): Account {
  const only = (name: 'accountId' | 'region', otherwise: string) => {
    const [first = otherwise, ...others] = new Set(stacks.map((stack) => stack[name] ?? otherwise));
    if (others.length === 0) return first;
    throw new UnsupportedError(`The stacks are in more than one ${name}: ${[first, ...others].join(', ')}.`);
  };
  return { accountId: only('accountId', '000000000000'), region: only('region', 'us-east-1') };
}

function createHandle(
  services: Services,
  deploy: ReturnType<typeof createDeployments>,
  place: { endpoint: string; outputs: Outputs; close: () => Promise<void> },
) {
  const { account, clock, activity, stepFunctions } = services;
  const { endpoint, outputs } = place;
  const { region, accountId } = account;
  const settle = () => activity.settle();
  const { describeRunning } = stepFunctions;
  const clientSettings = { endpoint, region, credentials: CREDENTIALS, disableClockSkewCorrection: true };
  return {
    /** `http://127.0.0.1:<port>`, the endpoint of every service. */
    endpoint,
    region,
    accountId,
    /** By stack, then by output. */
    outputs,
    clock: clock as Clock,
    /**
     * Settings of an SDK client. Clock skew correction is off: with a virtual clock, the SDK would see a wrong clock and repeat every
     * failed call.
     */
    clientSettings,
    /**
     * From now on, the access key `name` has the rights of these managed policies, and no others.
     * Returns the settings of an SDK client with this access key.
     */
    addPerson: (name: string, ...policyArns: string[]): typeof clientSettings => {
      services.iam.addPerson(name, policyArns);
      return { ...clientSettings, credentials: { accessKeyId: name, secretAccessKey: CREDENTIALS.secretAccessKey } };
    },
    /** Environment variables for an SDK or the CLI, such as AWS_ENDPOINT_URL. */
    environment: services.sdkEnvironment(),
    /** Calls the listener for every object and item that is stored, and every event that a bus takes, from now on. Returns a function that stops this. */
    watch: (listener: ChangeListener) => services.changes.listen(listener),
    /** The newest 100,000 lines that functions wrote. */
    logs: () => services.log.lines,
    /** One line for each running execution, with its current states. */
    describeRunning,
    /**
     * Resolves when nothing is in flight: no request, invocation, event delivery or step of an execution. Executions may still
     * wait for a time or a task token.
     */
    settle,
    /** With a VirtualClock: does not count a request or an invocation as in flight until `wait` ends. */
    standStill: (wait: Promise<void>) => activity.standStill(wait),
    /** With a VirtualClock: advances time until the condition holds. Throws if it never will, or at the limit. */
    runUntil: async (condition: () => boolean | Promise<boolean>, options?: RunUntilOptions): Promise<void> => {
      if (!(clock instanceof VirtualClock)) throw new Error('runUntil needs a VirtualClock.');
      await runUntil({ settle, describeRunning }, clock, condition, options);
    },
    /** Loads every function, so that the first order has no cold start. */
    warm: () => services.lambda.warm(),
    /**
     * Deletes every object, item, message, execution and timer, for tests that share a stack. Functions stay loaded and keep
     * what they have in memory.
     */
    forget: services.forget,
    /**
     * Changes environment variables of functions until the next call, for tests that share a stack. A variable that some functions have
     * changes in those; any other one is added to every function. A function without any of them keeps its loaded module.
     */
    useFunctionVariables: (variables: Record<string, string>) => services.lambda.useVariables(variables),
    /** Disconnects a function from its network, as Lambda does after weeks without an invocation. The next invocations are refused. */
    makeInactive: (functionName: string) => services.lambda.makeInactive(functionName),
    /** Ends every running execution without an event. For tests that share a stack. */
    discardExecutions: stepFunctions.discardAll,
    /**
     * Deploys another assembly of the same stacks over the present one, while executions run. Data stays. Running executions keep their
     * definition and the versions that it names. Throws an UnsupportedError if anything but functions, state machines and policies changes.
     */
    deploy: async (assemblyDirectory: string): Promise<void> => {
      Object.assign(outputs, await deploy(readAssembly(assemblyDirectory)));
    },
    /** Starts the schedules, if `holdSchedules` was set. */
    startSchedules: services.scheduler.start,
    /** Ends every worker, socket and timer, and removes every file. */
    close: place.close,
  };
}
