import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { uploadedFile } from '../../../functions/shared/legacy/upload.ts';
import { intakePart } from '../../../functions/shared/order/intake-key.ts';
import { statusChangeEvent } from '../../../local/aws/step-functions/status-change.ts';
import { templateOf } from '../../helpers/template.ts';

interface State {
  Parameters?: { FunctionName?: string; Payload?: Record<string, unknown> };
  ItemProcessor?: { States: Record<string, State> };
}

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
const functions = readdirSync(new URL('../../../functions/', import.meta.url)).filter((name) => name !== 'shared');
const machines = ['statemachine/order.asl.json', 'statemachine/legacy-exchange.asl.json'];
const top = machines.flatMap((machine) => Object.values(read(machine).States as Record<string, State>));
const states = [...top, ...top.flatMap(({ ItemProcessor }) => Object.values(ItemProcessor?.States ?? {}))];
const byEvents = ['sweep', 'intake', 'receive', 'record-end', 'legacy-intake', 'legacy-record-end'];

test.each(functions.filter((name) => !byEvents.includes(name)))(
  'functions/%s/event.json is what the state machine sends',
  (name) => {
    const id = `\${${name.replace(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase())}Arn}`;
    const payloads = states.flatMap(({ Parameters }) =>
      Parameters?.FunctionName === id ? [Parameters.Payload ?? {}] : [],
    );
    expect(payloads.length).toBeGreaterThan(0);
    for (const payload of payloads) {
      const members = Object.keys(payload).map((member) => member.replace(/\.\$$/, ''));
      expect(Object.keys(read(`functions/${name}/event.json`)).sort()).toEqual(members.sort());
    }
  },
);

test.each([
  ['intake', 'package'],
  ['receive', 'signature'],
])('functions/%s/event.json is the event of an object of the right kind', (name, part) => {
  expect(intakePart(read(`functions/${name}/event.json`).detail.object.key)).toMatchObject({ part });
});

test('functions/sweep/event.json is the input of its schedule', () => {
  const [schedule] = Object.values(templateOf('prod').findResources('AWS::Scheduler::Schedule'));
  expect(read('functions/sweep/event.json')).toEqual(JSON.parse(schedule?.Properties.Target.Input));
});

test('functions/legacy-intake/event.json is the event of a status file', () => {
  const { key } = read('functions/legacy-intake/event.json').detail.object;
  expect(uploadedFile(key)).toMatchObject({ what: 'status' });
});

test.each(['record-end', 'legacy-record-end'])('functions/%s/event.json is the event of a failed execution', (name) => {
  const { detail, ...envelope } = read(`functions/${name}/event.json`);
  const sent = statusChangeEvent({
    arn: detail.executionArn,
    name: detail.name,
    stateMachine: { arn: detail.stateMachineArn },
    input: detail.input,
    status: 'FAILED',
    startDate: detail.startDate,
    stopDate: detail.stopDate,
    ending: { error: detail.error, cause: detail.cause },
  });
  expect(envelope).toMatchObject({
    source: sent.source,
    'detail-type': sent['detail-type'],
    resources: sent.resources,
  });
  expect(sent.detail).toMatchObject(detail);
});
