import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { intakePart } from '../../../core/package/intake-key.ts';
import { functionFolders } from '../../../infra/bundles/build.ts';
import { expectFailedExecution, expectSentMembers, type State } from '../../helpers/sample-events.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
const folders = Object.fromEntries(
  Object.entries(functionFolders(fileURLToPath(new URL('../../../', import.meta.url)))).filter(([, folder]) =>
    folder.startsWith('functions/'),
  ),
);
const eventIn = (name: string) => {
  const { Records, ...event } = read(`${folders[name]}/event.json`);
  return Records ? JSON.parse(Records[0].body) : event;
};
const top = Object.values(read('statemachine/order.asl.json').States as Record<string, State>);
const states = [...top, ...top.flatMap(({ ItemProcessor }) => Object.values(ItemProcessor?.States ?? {}))];
const byEvents = ['sweep-orders', 'check-package', 'receive-upload', 'record-end'];

test.each(Object.keys(folders).filter((name) => !byEvents.includes(name)))(
  'functions/%s/event.json is what the state machine sends',
  (name) => {
    expectSentMembers(states, name, read(`${folders[name]}/event.json`));
  },
);

test.each([
  ['check-package', 'package'],
  ['receive-upload', 'signature'],
])('functions/%s/event.json is a batch with the event of an object of the right kind', (name, part) => {
  expect(intakePart(eventIn(name).detail.object.key)).toMatchObject({ part });
});

test('functions/record-end/event.json is the event of a failed execution', () => {
  expectFailedExecution(eventIn('record-end'));
});
