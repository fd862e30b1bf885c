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

export interface LocalAws extends ReturnType<typeof createHandle> {}

/** Starts the stacks of a cloud assembly. Throws an UnsupportedError that names the first unsupported feature. */
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

/** All stacks share one account and region: those of the app, or placeholders. */
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
    /** Outputs by stack, then by name. */
    outputs,
    clock: clock as Clock,
    /**
     * Settings for an SDK client. Clock skew correction is off: with a virtual clock, the SDK would find its clock wrong and retry every
     * failed call.
     */
    clientSettings,
    /**
     * From now on, the access key `name` has only the permissions of these managed policies.
     * Returns settings for an SDK client with this access key.
     */
    addPerson: (name: string, ...policyArns: string[]): typeof clientSettings => {
      services.iam.addPerson(name, policyArns);
      return { ...clientSettings, credentials: { accessKeyId: name, secretAccessKey: CREDENTIALS.secretAccessKey } };
    },
    /** Environment variables for an SDK or the CLI, such as AWS_ENDPOINT_URL. */
    environment: services.sdkEnvironment(),
    /** Calls the listener for every change from now on. Returns a function that removes the listener. */
    watch: (listener: ChangeListener) => services.changes.listen(listener),
    /** The last 100,000 log lines of functions. */
    logs: () => services.log.lines,
    /** One line for each running execution, with its current states. */
    describeRunning,
    /**
     * Resolves when no request, invocation, event delivery or step of an execution is in progress. Executions may still wait for a
     * time or a task token.
     */
    settle,
    /** For a paused request or invocation: does not count it as in progress until `wait` resolves, so virtual time can advance. */
    pauseUntil: (wait: Promise<void>) => activity.pauseUntil(wait),
    /** With a VirtualClock: advances time until the condition holds. Throws if no timer is left, or at the limit. */
    runUntil: async (condition: () => boolean | Promise<boolean>, options?: RunUntilOptions): Promise<void> => {
      if (!(clock instanceof VirtualClock)) throw new Error('runUntil needs a VirtualClock.');
      await runUntil({ settle, describeRunning }, clock, condition, options);
    },
    /** Loads all functions to avoid cold starts. */
    warm: () => services.lambda.warm(),
    /**
     * Deletes every object, item, message, execution and timer, for tests that share a stack. Functions stay loaded, with their
     * state in memory.
     */
    reset: services.reset,
    /**
     * Replaces the variables of the previous call, for tests that share a stack. A variable that some functions have is changed in those;
     * any other is added to every function. A function whose variables do not change keeps its loaded module.
     */
    useFunctionVariables: (variables: Record<string, string>) => services.lambda.useVariables(variables),
    /** Makes a function inactive, as Lambda does after weeks without an invocation. The next invocations are refused. */
    makeInactive: (functionName: string) => services.lambda.makeInactive(functionName),
    /** Ends all running executions without an event. For tests that share a stack. */
    discardExecutions: stepFunctions.discardAll,
    /**
     * Updates the stacks from another assembly while executions run. Data stays. Running executions keep their definition and its function
     * versions. Throws an UnsupportedError if anything but functions, rules, state machines and policies changes.
     */
    deploy: async (assemblyDirectory: string): Promise<void> => {
      Object.assign(outputs, await deploy(readAssembly(assemblyDirectory)));
    },
    /** Starts the schedules, if `holdSchedules` was set. */
    startSchedules: services.scheduler.start,
    /** Ends all threads, sockets and timers, and removes all files. */
    close: place.close,
  };
}
