import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { definitionOf, type Way, ways } from './ways.ts';

/** Seconds. */
const PATIENCE = 60;

/** Runs the definitions on moto's interpreter. `problems` are the ways that it goes otherwise, `lines` say how far it goes. */
export async function walkAll(settings: { endpoint: string }): Promise<{ lines: string[]; problems: string[] }> {
  const problems: string[] = [];
  for (const way of ways) {
    const went = await walk(settings, way);
    if (!isDeepStrictEqual(went, { ends: way.ends, states: way.states })) {
      problems.push(
        `${way.definition}: expected ${way.ends} after ${way.states.join(', ')}; got ${went.ends} after ${went.states.join(', ')}.`,
      );
    }
  }
  const lines = [...new Set(ways.map(({ definition }) => definition))].map((name) => {
    const reached = new Set(ways.filter(({ definition }) => definition === name).flatMap(({ states }) => states));
    const left = Object.keys(JSON.parse(definitionOf(name)).States).filter((state) => !reached.has(state));
    return `${name}: moto's interpreter enters ${reached.size} states as expected, and is not sent to: ${left.join(', ')}.`;
  });
  return { lines, problems };
}

/**
 * Runs one way. Functions answer from a list, since moto needs Docker to run their code; so none can fail. moto is emptied first,
 * because its interpreter cannot copy a state machine that has run.
 */
async function walk(
  settings: { endpoint: string },
  { definition, input, answers, tokens }: Way,
): Promise<Pick<Way, 'ends' | 'states'>> {
  const moto = `${settings.endpoint}/moto-api`;
  await post(`${moto}/reset`, {});
  await post(`${moto}/config`, { stepfunctions: { execute_state_machine: true }, lambda: { use_docker: false } });
  await post(`${moto}/static/lambda-simple/response`, { results: answers.map((answer) => JSON.stringify(answer)) });
  const client = new SFNClient(settings);
  const machine = {
    name: definition,
    definition: definitionOf(definition),
    roleArn: 'arn:aws:iam::123456789012:role/states',
  };
  const { stateMachineArn } = await client.send(new CreateStateMachineCommand(machine));
  const { executionArn } = await client.send(
    new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) }),
  );
  const left = [...tokens];
  const told = new Set<string>();
  for (const end = Date.now() + PATIENCE * 1000; ; await wait(100)) {
    const { status = '', error } = await client.send(new DescribeExecutionCommand({ executionArn }));
    const { events = [] } = await client.send(new GetExecutionHistoryCommand({ executionArn }));
    if (status !== 'RUNNING' || Date.now() > end) return { ends: error ?? status, states: statesIn(events) };
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
