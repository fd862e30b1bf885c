import { randomUUID } from 'node:crypto';
import type { LambdaService } from '../lambda/service.ts';
import { AwsError, isJsonObject, type Json, type JsonObject } from '../protocol/operation.ts';
import type { SqsService } from '../sqs/service.ts';
import { TaskError } from './task-tokens.ts';

/** Performs the call of a Task. Rejects with a TaskError. */
export type Integration = (parameters: Json) => Promise<Json>;

export interface IntegrationServices {
  lambda: LambdaService;
  sqs: SqsService;
  /** `startDate` is in seconds. */
  startExecution: (input: JsonObject) => { executionArn: string; startDate: number };
}

/** For each service, its prefix in error names, such as `Lambda.TooManyRequestsException`, and its name in causes. */
const ERROR_NAMES: Record<string, [prefix: string, service: string]> = {
  lambda: ['Lambda', 'AWSLambda'],
  states: ['StepFunctions', 'AWSStepFunctions'],
  sqs: ['Sqs', 'AmazonSQS'],
};

/** The cause when a service refuses a call. LocalStack's tests have recorded AWS's text (stepfunctions/v2/error_handling). */
function causeOf({ code, message, status }: AwsError, service: string): string {
  return `${message} (Service: ${service}; Status Code: ${status}; Error Code: ${code}; Request ID: ${randomUUID()}; Proxy: null)`;
}

export function createIntegration(services: IntegrationServices, { service }: { service: string }): Integration {
  const call = callOf(services, service);
  return async (parameters) => {
    try {
      return await call(parameters);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const code = error.code.endsWith('Exception') ? error.code : `${error.code}Exception`;
      const [prefix, name] = ERROR_NAMES[service] ?? [service, service];
      throw new TaskError(`${prefix}.${code}`, causeOf(error, name));
    }
  };
}

function callOf(services: IntegrationServices, service: string): Integration {
  if (service === 'lambda') return (parameters) => invokeByParameters(services.lambda, objectOf(parameters));
  if (service === 'states') return async (parameters) => startExecution(services, objectOf(parameters));
  return async (parameters) => sendMessage(services.sqs, objectOf(parameters));
}

function objectOf(parameters: Json): JsonObject {
  if (isJsonObject(parameters)) return parameters;
  throw new TaskError('States.Runtime', 'The parameters of the Task are not an object.');
}

async function invoke(lambda: LambdaService, reference: string, event: Json): Promise<Json> {
  const result = await lambda.find(reference).invoke(JSON.stringify(event));
  const payload = JSON.parse(result.payload) as Json;
  if (!result.functionError) return payload;
  const type = isJsonObject(payload) ? payload.errorType : undefined;
  if (typeof type === 'string') throw new TaskError(type, result.payload);
  const cause = 'The cause could not be determined because Lambda did not return an error type.';
  throw new TaskError('Lambda.Unknown', `${cause} Returned payload: ${result.payload}`);
}

async function invokeByParameters(lambda: LambdaService, parameters: JsonObject): Promise<Json> {
  const { FunctionName, Payload = {}, ...others } = parameters;
  const unknown = Object.keys(others);
  if (typeof FunctionName !== 'string' || unknown.length > 0) {
    const what = unknown.length > 0 ? `the parameter ${unknown.join(', ')}` : 'a FunctionName that is not a string';
    throw new TaskError('States.Runtime', `The embedded AWS does not support ${what} of lambda:invoke.`);
  }
  const { version: ExecutedVersion } = lambda.find(FunctionName).facts;
  return { ExecutedVersion, Payload: await invoke(lambda, FunctionName, Payload), StatusCode: 200 };
}

function startExecution(services: IntegrationServices, parameters: JsonObject): Json {
  const { StateMachineArn, Name, Input = {} } = parameters;
  const input = typeof Input === 'string' ? Input : JSON.stringify(Input);
  const name = Name === undefined ? {} : { name: Name };
  const started = services.startExecution({ stateMachineArn: StateMachineArn ?? null, input, ...name });
  return { ExecutionArn: started.executionArn, StartDate: started.startDate };
}

function sendMessage(sqs: SqsService, parameters: JsonObject): Json {
  const body = parameters.MessageBody;
  return sqs.sendMessage({ ...parameters, MessageBody: typeof body === 'string' ? body : JSON.stringify(body) });
}
