import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { orderDefinition } from '../../statemachine/order-definition.ts';
import { freePort } from '../helpers/listening.ts';

/** Starts moto's server on a free port of 127.0.0.1. `close` ends the process that this started, and no other. */
export async function startMoto(): Promise<{ endpoint: string; close(): Promise<void> }> {
  const server = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(await freePort())], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  const ended = once(server, 'close').catch((error: Error) => [error.message]);
  const started = new Promise<string>((resolve) => {
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (address) resolve(address);
    });
  });
  const endpoint = await Promise.race([started, ended]);
  if (typeof endpoint !== 'string') {
    const reason = `${endpoint[0]} ${said}`.trim();
    throw new Error(`moto did not start: ${reason} Install Python 3 and: pip install 'moto[server]==5.2.1'`);
  }
  const close = async () => {
    server.kill();
    await ended;
  };
  return { endpoint, close };
}

/** The text of the definition, with made-up ARNs. */
export const definition = JSON.stringify(orderDefinition()).replaceAll(
  /\$\{(\w+)Arn\}/g,
  'arn:aws:lambda:us-east-1:123456789012:function:$1',
);

interface Way {
  answers: unknown[];
  /** What the Tasks that wait for a token are told. */
  tokens: object[];
  /** The states that the execution enters, then its status or its error. */
  goes: string[];
}

const input = { orderRef: 'order-1', generation: 1 };
const read = { reads: 1, repeats: 0, nextReadAt: '2030-01-01T00:00:00Z', known: {}, pollAfterSeconds: 0 };
const order = (status: string, more: object = {}) => ({ ...input, ...read, waitSeconds: 60, status, ...more });
const documents = (count: number) => Array.from({ length: count }, (_, position) => ({ ...input, position }));
const toSign = (signing: string) => order('WAITING_FOR_SIGNATURE', { round: 1, documents: documents(1), signing });
const choices = documents(2).map((item, at) => ({ ...item, later: at > 0, more: at < 1 }));
const whole = { postponed: false };
const accepted = { accepted: true };
const confirmed = { confirmed: true };
const BEGIN = ['Create order', 'Wait before reading'];
const READ = ['Read order', 'Order status'];
const DOWNLOAD = ['Waiting for signature', 'Download document', 'Who signs'];
const UPLOAD = ['Upload signatures', 'Upload signature', 'Accept signatures', 'In work'];
const SEND = ['Waiting for documents', 'Upload document', 'Upload document', 'Accept documents', 'In work'];
const CONFIRM = ['Offers available', 'Confirm offer', 'Confirm one offer', 'Confirm one offer', 'Offers approved'];
const FAIL = ['Validation failed', 'ValidationFailed'];
const CLOSE = ['Closed', 'SUCCEEDED'];

const ways: Way[] = [
  {
    answers: [
      ...[order('NEW'), order('WAITING_FOR_DOCUMENTS', { round: 1, documents: documents(2) }), whole, whole, accepted],
      ...[order('OFFERS_AVAILABLE'), 'asked', confirmed, confirmed],
      ...[toSign('external'), whole, 'asked', whole, accepted, order('CLOSED')],
    ],
    tokens: [choices, {}],
    goes: [BEGIN, READ, SEND, READ, CONFIRM, READ, DOWNLOAD, 'Sign documents', UPLOAD, READ, CLOSE].flat(),
  },
  {
    answers: [order('NEW'), toSign('kms'), whole, {}, whole, accepted, order('VALIDATION_FAILED')],
    tokens: [],
    goes: [BEGIN, READ, DOWNLOAD, 'Sign documents with KMS', UPLOAD, READ, FAIL].flat(),
  },
];

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

/** Seconds. */
const PATIENCE = 60;

/**
 * Runs one way. Functions answer from a list, since moto needs Docker to run their code; so none can fail. moto is emptied first,
 * because its interpreter cannot copy a state machine that has run.
 */
async function walk(settings: { endpoint: string }, { answers, tokens }: Way): Promise<string[]> {
  const post = async (path: string, body: object) => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const { ok } = await fetch(`${settings.endpoint}/moto-api/${path}`, request);
    if (!ok) throw new Error(`moto does not answer ${path}.`);
  };
  await post('reset', {});
  await post('config', { stepfunctions: { execute_state_machine: true }, lambda: { use_docker: false } });
  await post('static/lambda-simple/response', { results: answers.map((answer) => JSON.stringify(answer)) });
  const client = new SFNClient(settings);
  const machine = { name: 'order', definition, roleArn: 'arn:aws:iam::123456789012:role/states' };
  const { stateMachineArn } = await client.send(new CreateStateMachineCommand(machine));
  const start = new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) });
  const { executionArn } = await client.send(start);
  const left = [...tokens];
  const told = new Set<string>();
  for (const end = Date.now() + PATIENCE * 1000; ; await wait(100)) {
    const { status = '', error } = await client.send(new DescribeExecutionCommand({ executionArn }));
    const { events = [] } = await client.send(new GetExecutionHistoryCommand({ executionArn }));
    const states = events.flatMap(({ stateEnteredEventDetails: state }) => state?.name ?? []);
    if (status !== 'RUNNING' || Date.now() > end) return [...states, error ?? status];
    const asked = events.map(({ taskScheduledEventDetails: task }) => task?.parameters ?? '');
    for (const taskToken of asked.flatMap((text) => /"taskToken": ?"([^"]+)"/.exec(text)?.[1] ?? [])) {
      if (told.has(taskToken)) continue;
      told.add(taskToken);
      await client.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(left.shift()) }));
    }
  }
}
