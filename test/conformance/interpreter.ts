import { setTimeout as wait } from 'node:timers/promises';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { definition, input, type Way, ways } from './ways.ts';

/** Seconds. */
const PATIENCE = 60;

/** Runs the definition on moto's interpreter. `problems` are the ways that it goes otherwise, `line` says how far it goes. */
export async function walkAll(settings: { endpoint: string }): Promise<{ line: string; problems: string[] }> {
  const problems: string[] = [];
  for (const way of ways) {
    const [expected, went] = [way.goes.join(', '), (await walk(settings, way)).join(', ')];
    if (went !== expected) problems.push(`The order: expected ${expected}; got ${went}.`);
  }
  const reached = new Set(ways.flatMap(({ goes }) => goes));
  const left = Object.keys(JSON.parse(definition).States).filter((state) => !reached.has(state));
  return { line: `moto's interpreter goes the expected ways, and is not sent to: ${left.join(', ')}.`, problems };
}

/**
 * Runs one way. Functions answer from a list, since moto needs Docker to run their code; so none can fail. moto is emptied first,
 * because its interpreter cannot copy a state machine that has run.
 */
async function walk(settings: { endpoint: string }, { answers, tokens }: Way): Promise<string[]> {
  const moto = `${settings.endpoint}/moto-api`;
  await post(`${moto}/reset`, {});
  await post(`${moto}/config`, { stepfunctions: { execute_state_machine: true }, lambda: { use_docker: false } });
  await post(`${moto}/static/lambda-simple/response`, { results: answers.map((answer) => JSON.stringify(answer)) });
  const client = new SFNClient(settings);
  const machine = { name: 'order', definition, roleArn: 'arn:aws:iam::123456789012:role/states' };
  const { stateMachineArn } = await client.send(new CreateStateMachineCommand(machine));
  const { executionArn } = await client.send(
    new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) }),
  );
  const left = [...tokens];
  const told = new Set<string>();
  for (const end = Date.now() + PATIENCE * 1000; ; await wait(100)) {
    const { status = '', error } = await client.send(new DescribeExecutionCommand({ executionArn }));
    const { events = [] } = await client.send(new GetExecutionHistoryCommand({ executionArn }));
    if (status !== 'RUNNING' || Date.now() > end) return [...statesIn(events), error ?? status];
    for (const taskToken of tokensIn(events).filter((token) => !told.has(token))) {
      told.add(taskToken);
      await client.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(left.shift()) }));
    }
  }
}

const statesIn = (events: HistoryEvent[]) => events.flatMap(({ stateEnteredEventDetails: state }) => state?.name ?? []);

const tokensIn = (events: HistoryEvent[]) =>
  events.flatMap(
    ({ taskScheduledEventDetails: task }) => /"taskToken": ?"([^"]+)"/.exec(task?.parameters ?? '')?.[1] ?? [],
  );

async function post(url: string, body: object): Promise<void> {
  const { ok } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!ok) throw new Error(`moto does not answer ${url}.`);
}
