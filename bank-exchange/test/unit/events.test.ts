import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectFailedExecution, expectSentMembers, type State } from '../../../test/helpers/sample-events.ts';
import { uploadedFile } from '../../core/upload.ts';
import { definitions } from '../../infra/functions.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const eventOf = (name: string) => read(`functions/${name}/event.json`);
const states = Object.values(read('exchange.asl.json').States as Record<string, State>);
const inMachine = Object.entries(definitions).filter(([, definition]) => !('noStep' in definition));

test.each(inMachine.map(([name]) => name))('functions/%s/event.json is what the state machine sends', (name) => {
  expectSentMembers(states, name, eventOf(name));
});

test('functions/legacy-intake/event.json is the event of a status file', () => {
  expect(uploadedFile(eventOf('legacy-intake').detail.object.key)).toMatchObject({ what: 'status' });
});

test('functions/legacy-record-end/event.json is the event of a failed execution', () => {
  expectFailedExecution(eventOf('legacy-record-end'));
});
