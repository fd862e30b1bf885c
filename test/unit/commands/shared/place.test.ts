import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import type { StageConnection } from '../../../../commands/shared/connection.ts';
import { executionPage, logPage } from '../../../../commands/shared/pages.ts';
import { inPlace, optionsOf, queueClientSettings } from '../../../../commands/shared/place.ts';
import type { OrderItem } from '../../../../core/order/order-item.ts';

test('a command that an answer names gets the options that lead it to the same place', () => {
  const text =
    'Order a-loan-orders b waits (loan-orders-local-x): "loan-orders show a", npx loan-orders retry a; loan-orders --help';
  const at = 'http://127.0.0.1:7000';
  expect(inPlace(text, optionsOf({ local: true, endpoint: at }))).toBe(
    `Order a-loan-orders b waits (loan-orders-local-x): "loan-orders --endpoint ${at} show a", npx loan-orders --endpoint ${at} retry a; loan-orders --help`,
  );
  expect(inPlace('loan-orders show', optionsOf({ stage: 'prod', local: true }))).toBe(
    'loan-orders --stage prod --local show',
  );
  expect(inPlace(text, optionsOf({}))).toBe(text);
});

test('a request about a queue goes to the endpoint that was named, not to the host of the URL of the queue', async () => {
  const asked: string[] = [];
  const requestHandler = {
    handle: async ({ hostname }: { hostname: string }) => {
      asked.push(hostname);
      throw new Error('no answer');
    },
  };
  const settings = queueClientSettings({ stage: 'local', local: true, endpoint: 'http://127.0.0.1:9000' });
  const client = new SQSClient({ ...settings, requestHandler, maxAttempts: 1 });
  const QueueUrl = 'https://sqs.eu-central-1.amazonaws.com/111122223333/events';
  await expect(client.send(new GetQueueAttributesCommand({ QueueUrl }))).rejects.toThrow('no answer');
  expect(asked).toEqual(['127.0.0.1']);
});

const MACHINE = 'arn:aws:states:eu-central-1:111122223333:stateMachine:loan-orders-prod';
const order = { orderRef: 'a.b-1', createdAt: '2026-11-12T09:00:00.000Z' } as OrderItem;
const connected = (outputs: Record<string, string>, place = {}) =>
  ({
    place: { stage: 'prod', ...place },
    outputs: (name: string, otherwise = '') => outputs[name] ?? otherwise,
  }) as StageConnection;
const onAws = connected({ OrderStateMachine: MACHINE, LogGroups: '/aws/lambda/create-order,/aws/vendedlogs/states/x' });

test('the page of the log has the saved query with the order filled in, every log group, and the time of the order', () => {
  const [address, detail = ''] = (logPage(onAws, order) ?? '').split('$3FqueryDetail$3D');
  expect(address).toBe(
    'https://eu-central-1.console.aws.amazon.com/cloudwatch/home?region=eu-central-1#logsV2:logs-insights',
  );
  expect(detail).toMatch(/^[\w.*~'()-]+$/);
  const read = detail.replaceAll(/\*(..)/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  expect(read).toMatch(
    /^~\(end~'\S+Z~start~'2026-11-12T08:00:00\.000Z~timeType~'ABSOLUTE~tz~'UTC~editorString~'fields /,
  );
  expect(read).toContain('| filter orderRef = "a.b-1" or execution_arn like /:a\\.b-1-[0-9]+$/\n');
  expect(read).toMatch(/~source~\(~'\/aws\/lambda\/create-order~'\/aws\/vendedlogs\/states\/x\)\)$/);
});

test('a stage of an older release has no page of the log, and the laptop no page at all', () => {
  const laptop = connected({ LogGroups: 'a' }, { local: true, endpoint: 'http://127.0.0.1:1' });
  expect(logPage(connected({ OrderStateMachine: MACHINE }), order)).toBeUndefined();
  expect([logPage(laptop, order), executionPage(laptop, MACHINE)]).toEqual([undefined, undefined]);
});
