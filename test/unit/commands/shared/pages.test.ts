import { expect, test } from 'vitest';
import type { StageConnection } from '../../../../commands/shared/connection.ts';
import { executionPage, logPage } from '../../../../commands/shared/pages.ts';
import type { OrderItem } from '../../../../core/order/order-item.ts';

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
