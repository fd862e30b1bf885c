import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { onTestFinished } from 'vitest';
import type { InvokeWrapper, LocalAwsOptions } from '../../index.ts';
import { lambdaResource, queuePolicy, startHandmade } from '../cloudformation/handmade-assembly.ts';

export const stateMachineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:machine';
export const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:work';
export const LAMBDA = 'arn:aws:states:::lambda:invoke';

/** With `{fail}` it fails with an error of that name, until `{redrives}` is `{until}`. Otherwise it returns `{event, calls}`. */
const CODE = `
let calls = 0;
export const work = async (event) => {
  calls += 1;
  console.log(JSON.stringify(event));
  if (event.fail && !(event.redrives >= event.until)) throw Object.assign(new Error('asked to fail'), { name: event.fail });
  return { event, calls };
};
`;

export const workTask = (Payload: object, more: object = {}): object => ({
  Type: 'Task',
  Resource: LAMBDA,
  End: true,
  Parameters: { FunctionName: functionArn, Payload },
  ...more,
});

/** Keeps back what the first call of a function returns, from `called` until `release`. */
export function holdFirst() {
  const [called, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  const invokeWrapper: InvokeWrapper = async (_name, _event, invoke) => {
    const result = await invoke();
    called.resolve();
    if (++calls === 1) await released.promise;
    return result;
  };
  return { options: { invokeWrapper }, called: called.promise, release: released.resolve };
}

/** A state machine with these states, a function `work`, a table `table` and a queue `queue`, in virtual time. */
export async function startMachine(
  States: Record<string, object>,
  more: { machine?: object; resources?: Record<string, object>; options?: Partial<LocalAwsOptions> } = {},
) {
  const DefinitionString = JSON.stringify({ StartAt: Object.keys(States)[0], States, ...more.machine });
  const Resources = {
    Function: lambdaResource('code', 'work'),
    Machine: {
      Type: 'AWS::StepFunctions::StateMachine',
      Properties: { StateMachineName: 'machine', RoleArn: 'arn:aws:iam::000000000000:role/machine', DefinitionString },
    },
    Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'queue' } },
    QueuePolicy: queuePolicy('Queue'),
    ...more.resources,
  };
  const { aws, clock, config } = await startHandmade({ Stack: { Resources } }, { code: CODE }, more.options);
  const client = new SFNClient(config);
  onTestFinished(() => client.destroy());
  const start = async (input: object = {}, name?: string) => {
    const { executionArn = '' } = await client.send(
      new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input), ...(name ? { name } : {}) }),
    );
    return executionArn;
  };
  const describe = (executionArn: string) => client.send(new DescribeExecutionCommand({ executionArn }));
  const finish = async (executionArn: string) => {
    await aws.runUntil(async () => (await describe(executionArn)).status !== 'RUNNING');
    return describe(executionArn);
  };
  const history = async (executionArn: string) => {
    const { events = [] } = await client.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }));
    return events;
  };
  const written = () => aws.logs().map(({ line }) => JSON.parse(line));
  return { aws, clock, client, start, describe, finish, history, written };
}
