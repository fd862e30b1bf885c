import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Change } from '@business-loan-orders/embedded-aws';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import {
  received,
  startHandmade,
  type Template,
} from '../../../packages/embedded-aws/test/cloudformation/handmade-assembly.ts';
import { answering } from '../../helpers/listening.ts';

const bus: Template = {
  Resources: { Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'loan-orders-prod' } } },
};

function recipe(name: string, values: Record<string, string> = {}): Template {
  const text = readFileSync(new URL(`../../../docs/events/${name}.yaml`, import.meta.url), 'utf8');
  const template = parse(text) as Template & { Parameters: Record<string, object> };
  for (const [parameter, Default] of Object.entries(values))
    template.Parameters[parameter] = { ...template.Parameters[parameter], Default };
  return template;
}

async function run(template: Template) {
  const { aws } = await startHandmade({ Orders: bus, Recipe: template });
  const changes: Change[] = [];
  aws.watch((change) => changes.push(change));
  const detail = { id: 'my-order/3', orderRef: 'my-order', stage: 'prod', waitingFor: 'operator', error: 'Rejected' };
  const event = { EventBusName: 'loan-orders-prod', DetailType: 'Order Failed', Detail: JSON.stringify(detail) };
  const client = new EventBridgeClient(aws.clientSettings);
  const Entries = ['somebody', 'loan-orders'].map((Source) => ({ ...event, Source }));
  await client.send(new PutEventsCommand({ Entries }));
  await aws.settle();
  const messages = changes.flatMap((change) => (change.type === 'message' ? [change] : []));
  return { aws, detail, messages, receivedAt: (url = '') => received(aws, url.slice(url.lastIndexOf('/') + 1)) };
}

async function startServer(status: number) {
  const calls: { key: unknown; body: unknown }[] = [];
  const url = await answering(async (request, response) => {
    calls.push({ key: request.headers['x-api-key'], body: await json(request) });
    response.writeHead(status).end();
  }, onTestFinished);
  return { calls, address: `${url}/orders` };
}

test('to-queue.yaml brings each event of an order, and no other, into the queue', async () => {
  const { aws, detail, receivedAt } = await run(recipe('to-queue'));
  expect(await receivedAt(aws.outputs.Recipe?.QueueUrl)).toMatchObject([
    { source: 'loan-orders', 'detail-type': 'Order Failed', detail },
  ]);
});

test('to-webhook.yaml posts each event of an order, and no other, with the key', async () => {
  const { calls, address } = await startServer(202);
  const { detail } = await run(recipe('to-webhook', { Address: address, Key: 'secret' }));
  expect(calls).toMatchObject([{ key: 'secret', body: { source: 'loan-orders', detail } }]);
});

test('to-webhook.yaml keeps an event that the webhook did not take', async () => {
  const { address } = await startServer(500);
  const template = recipe('to-webhook', { Address: address, Key: 'secret' });
  template.Outputs = { QueueUrl: { Value: { Ref: 'DeadLetters' } } };
  const { aws, detail, receivedAt } = await run(template);
  expect(await receivedAt(aws.outputs.Recipe?.QueueUrl)).toMatchObject([{ detail }]);
});

test('to-email.yaml puts a failure that waits for an operator into one sentence', async () => {
  const { messages } = await run(recipe('to-email', { Address: 'somebody@example.org' }));
  expect(messages).toMatchObject([
    { text: 'Order Failed: order my-order of stage prod', subscribers: ['email:somebody@example.org'] },
  ]);
});

test('to-chat.yaml makes a message of the form that AWS Chatbot shows', async () => {
  const { messages } = await run(recipe('to-chat', { WorkspaceId: 'T012345678', ChannelId: 'C012345678' }));
  expect(messages.map(({ text }) => JSON.parse(text))).toEqual([
    {
      version: '1.0',
      source: 'custom',
      content: { title: 'Order Failed', description: 'Order my-order of stage prod' },
    },
  ]);
});

const project = new URL('../../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, project), 'utf8');
const documents = [
  ...readdirSync(new URL('docs/', project)).map((name) => `docs/${name}`),
  ...readdirSync(project),
].filter((name) => name.endsWith('.md'));

/** A file of tests, and the titles in quotes after it. */
const NAMED = /`(test\/[^`\s]+\.test\.ts)`((?:,? "[^"|]+")*)/g;

interface NamedTest {
  file: string;
  title?: string;
}

function namedTests(document: string): NamedTest[] {
  return [...read(document).matchAll(NAMED)].flatMap(([, file = '', rest = '']) => {
    const titles = [...rest.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title);
    return titles.length === 0 ? [{ file }] : titles.map((title) => ({ file, title }));
  });
}

test.each(documents)('every test that %s names exists', (document) => {
  const missing = namedTests(document).filter(
    ({ file, title }) => !existsSync(new URL(file, project)) || (title !== undefined && !read(file).includes(title)),
  );
  expect(missing).toEqual([]);
});
