import { randomUUID } from 'node:crypto';
import type { LambdaService } from '../lambda/service.ts';
import { AwsError, isJsonObject, type Json, type JsonObject, objectOf } from '../protocol/operation.ts';
import type { SqsService } from '../sqs/service.ts';
import type { Integration, TaskResource } from './task.ts';
import { TaskError } from './task-tokens.ts';

export interface IntegrationServices {
  lambda: LambdaService;
  sqs: SqsService;
  /** `startDate` is in seconds. */
  startExecution: (input: JsonObject) => { executionArn: string; startDate: number };
}

type Call = (services: IntegrationServices, parameters: JsonObject) => Json | Promise<Json>;

/** For each service, its prefix in error names, such as `Lambda.TooManyRequestsException`, its name in causes, and its call. */
const SERVICES: Record<TaskResource['service'], [prefix: string, name: string, call: Call]> = {
  lambda: ['Lambda', 'AWSLambda', invoke],
  states: ['StepFunctions', 'AWSStepFunctions', startExecution],
  sqs: ['Sqs', 'AmazonSQS', sendMessage],
};

/** The cause when a service refuses a call. LocalStack's tests have recorded AWS's text (stepfunctions/v2/error_handling). */
function causeOf({ code, message, status }: AwsError, service: string): string {
  return `${message} (Service: ${service}; Status Code: ${status}; Error Code: ${code}; Request ID: ${randomUUID()}; Proxy: null)`;
}

export function createIntegration(services: IntegrationServices, { service }: TaskResource): Integration {
  const [prefix, name, call] = SERVICES[service];
  return async (parameters) => {
    if (!isJsonObject(parameters))
      throw new TaskError('States.Runtime', 'The parameters of the Task are not an object.');
    try {
      return await call(services, parameters);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const code = error.code.endsWith('Exception') ? error.code : `${error.code}Exception`;
      throw new TaskError(`${prefix}.${code}`, causeOf(error, name));
    }
  };
}

async function invoke({ lambda }: IntegrationServices, parameters: JsonObject): Promise<Json> {
  const { FunctionName, Payload: event = {}, ...others } = parameters;
  const unknown = Object.keys(others);
  if (typeof FunctionName !== 'string' || unknown.length > 0) {
    const what = unknown.length > 0 ? `the parameter ${unknown.join(', ')}` : 'a FunctionName that is not a string';
    throw new TaskError('States.Runtime', `The embedded AWS does not support ${what} of lambda:invoke.`);
  }
  const invoked = lambda.find(FunctionName);
  const result = await invoked.invoke(JSON.stringify(event));
  const Payload = JSON.parse(result.payload) as Json;
  if (!result.functionError) return { ExecutedVersion: invoked.facts.version, Payload, StatusCode: 200 };
  const { errorType: type } = objectOf(Payload);
  if (typeof type === 'string') throw new TaskError(type, result.payload);
  const cause = 'The cause could not be determined because Lambda did not return an error type.';
  throw new TaskError('Lambda.Unknown', `${cause} Returned payload: ${result.payload}`);
}

function startExecution(services: IntegrationServices, parameters: JsonObject): Json {
  const { StateMachineArn, Name, Input = {} } = parameters;
  const input = typeof Input === 'string' ? Input : JSON.stringify(Input);
  const name = Name === undefined ? {} : { name: Name };
  const started = services.startExecution({ stateMachineArn: StateMachineArn ?? null, input, ...name });
  return { ExecutionArn: started.executionArn, StartDate: started.startDate };
}

function sendMessage({ sqs }: IntegrationServices, parameters: JsonObject): Json {
  const body = parameters.MessageBody;
  return sqs.sendMessage({ ...parameters, MessageBody: typeof body === 'string' ? body : JSON.stringify(body) });
}
