import { expect, test } from 'vitest';
import { MAX_CONFIRMS, MAX_DOCUMENTS_TO_SIGN, READS_PER_EXECUTION, readsOfWork } from '../../core/order/work-size.ts';
import { MAX_DOCUMENTS } from '../../core/package/package-schema.ts';
import { LONGEST_GROWN_WAIT_SECONDS } from '../../core/reading/poll.ts';
import {
  orderDefinition,
  type StateDefinition,
  type StateMachineDefinition,
} from '../../statemachine/order-definition.ts';

/** Step Functions ends an execution at 25,000 events. The rest is for events not counted here: a redrive, or events that AWS may add. */
const ROOM = 20_000;
/** Every loop of an execution passes through this state, and its function counts the passes. */
const READ = 'Read order';
const MAX_ITEMS: Record<string, number> = {
  'Waiting for documents': MAX_DOCUMENTS,
  'Waiting for signature': MAX_DOCUMENTS_TO_SIGN,
  'Upload signatures': MAX_DOCUMENTS_TO_SIGN,
  'Confirm offer': MAX_CONFIRMS,
};

/** The most events when every Task uses all its retries, and every Map has all its items: outside counted reads, and for each. */
function worstCase(definition: StateMachineDefinition): { once: number; perRead: number } {
  const fromStart = waysFrom(definition, definition.StartAt);
  const fromRead = following(stateOf(definition, READ)).flatMap((name) => waysFrom(definition, name, [READ]));
  const toRead = (way: string[]) => way.at(-1) === READ;
  const onTheWay = new Set([...fromStart, ...fromRead].filter(toRead).flat());
  const endings = [...fromStart, ...fromRead].map((way) => way.filter((name) => !onTheWay.has(name)));
  const most = (ways: string[][]) => Math.max(...ways.map((way) => eventsOfWay(definition, way)));
  const start = fromStart.filter(toRead).map((way) => way.slice(0, -1));
  const perRead = fromRead.filter(toRead).map((way) => eventsPerRead(definition, way.slice(0, -1)));
  return { once: 1 + most(start) + most(endings) + 1, perRead: Math.ceil(Math.max(...perRead)) };
}

/** Every path from a state to `READ` or to an end, as names of states. `before` holds the states already passed. */
function waysFrom(definition: StateMachineDefinition, name: string, before: string[] = []): string[][] {
  const way = [...before, name];
  if (name === READ) return [way];
  if (before.includes(name)) throw new Error(`There is a loop through "${name}" without "${READ}".`);
  const next = following(stateOf(definition, name));
  return next.length === 0 ? [way] : next.flatMap((other) => waysFrom(definition, other, way));
}

function following({ Next, Default, Choices = [], Catch = [] }: StateDefinition): string[] {
  const names = [Next, Default, ...Choices.map((choice) => choice.Next), ...Catch.map((catcher) => catcher.Next)];
  return [...new Set(names)].filter((name) => name !== undefined);
}

/** The events of a path from one read to the next, per counted read: work counts as reads. The maximum is at no items or at the most. */
function eventsPerRead(definition: StateMachineDefinition, way: string[]): number {
  const ofType = (type: string) => way.filter((name) => name !== READ && stateOf(definition, name).Type === type);
  const maps = ofType('Map');
  if (maps.length + ofType('Task').length === 0) return eventsOfWay(definition, way);
  const perRead = (items: number) => eventsOfWay(definition, way, items) / (1 + readsOfWork(items));
  return Math.max(perRead(0), perRead(Math.max(0, ...maps.map((name) => MAX_ITEMS[name] ?? Number.NaN))));
}

function eventsOfWay(definition: StateMachineDefinition, way: string[], items?: number): number {
  return way.reduce((sum, name) => sum + eventsOf(stateOf(definition, name), items ?? MAX_ITEMS[name] ?? 0), 0);
}

/** The events from a state's entry to its exit, with all its attempts. Step Functions counts each retrier on its own. */
function eventsOf({ Type, Resource, Retry = [], ItemProcessor }: StateDefinition, items: number): number {
  const attempts = Retry.reduce((sum, { MaxAttempts = 3 }) => sum + MaxAttempts, 1);
  // `TaskScheduled`, `TaskStarted` and the end; with a task token also `TaskSubmitted`.
  if (Type === 'Task') return 2 + attempts * (Resource?.endsWith('.waitForTaskToken') ? 4 : 3);
  if (Type === 'Map' && ItemProcessor) {
    const ways = waysFrom(ItemProcessor, ItemProcessor.StartAt);
    const ofItem = 2 + Math.max(...ways.map((way) => eventsOfWay(ItemProcessor, way)));
    return 2 + attempts * (2 + items * ofItem);
  }
  const simple: Record<string, number> = { Wait: 2, Choice: 2, Pass: 2, Succeed: 2, Fail: 1 };
  return simple[Type] ?? Number.NaN;
}

function stateOf({ States }: StateMachineDefinition, name: string): StateDefinition {
  const state = States[name];
  if (!state) throw new Error(`There is no state "${name}".`);
  return state;
}

const { once, perRead } = worstCase(orderDefinition());
const most = Math.floor((ROOM - once) / perRead);

test('the history of an execution has room for its reads, and for the largest work in its first read', () => {
  expect(READS_PER_EXECUTION).toBeLessThanOrEqual(most);
  expect(1 + readsOfWork(Math.max(...Object.values(MAX_ITEMS))) + 1).toBeLessThanOrEqual(most);
});

test('the reads of an execution, each after the longest grown wait, fit into the year that an execution may last', () => {
  expect(READS_PER_EXECUTION * LONGEST_GROWN_WAIT_SECONDS).toBeLessThan(365 * 86_400);
});
