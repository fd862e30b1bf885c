import { MAX_CONFIRMS, MAX_DOCUMENTS_TO_SIGN, readsOfWork } from '../core/order/work-size.ts';
import { MAX_DOCUMENTS } from '../core/package/package-schema.ts';
import type { Definition, State } from '../statemachine/order-definition.ts';
import type { Stage } from './stages.ts';

/** Step Functions ends an execution whose history grows beyond this. */
const HISTORY_LIMIT = 25_000;

/** The most events that the worst case may write. The rest is for events not counted here: a redrive, or events that AWS may add. */
const ROOM = 20_000;

/** Every loop of an execution passes through this state, and its function counts the passes. */
const READ = 'Read order';

/** Step Functions writes an event when a state is entered and one when it is exited. */
const EVENTS_OF_ANY_STATE = 2;
/** A Fail state is never exited. */
const EVENTS_OF_FAIL = 1;
/** Per attempt of a Task: `TaskScheduled`, `TaskStarted` and its end; with a task token also `TaskSubmitted`. */
const EVENTS_OF_ATTEMPT = 3;
const EVENTS_OF_ATTEMPT_WITH_TOKEN = 4;
/** Per attempt of a Map: its start and its end. */
const EVENTS_OF_MAP_ATTEMPT = 2;
/** Per item of a Map: its start and its end. */
const EVENTS_OF_ITEM = 2;
/** What Step Functions assumes for a retrier without `MaxAttempts`. */
const DEFAULT_MAX_ATTEMPTS = 3;

/** The most items that each Map state can get. */
const MAX_ITEMS: Record<string, number> = {
  'Waiting for documents': MAX_DOCUMENTS,
  'Waiting for signature': MAX_DOCUMENTS_TO_SIGN,
  'Upload signatures': MAX_DOCUMENTS_TO_SIGN,
  'Confirm offer': MAX_CONFIRMS,
};

/** The worst case of an execution's history, in events. */
export interface WorstCase {
  /** Written once: the start, the states before the first read, the states that lead to an end, and the end. */
  once: number;
  /** Written for each counted read and the states after it. Work such as uploads counts as several reads (`readsOfWork`). */
  perRead: number;
  /** Counted reads of an execution that does the largest piece of work and then hands over. */
  readsOfLargestWork: number;
}

/**
 * The worst case: every Task uses all its retries, and every Map has all its items. An execution hands over to the next one when
 * its counted reads reach `readsPerExecution`.
 * @throws Error when a part of the definition has no bound.
 */
export function worstCase(definition: Definition): WorstCase {
  const fromStart = waysFrom(definition, definition.StartAt);
  const fromRead = following(stateOf(definition, READ)).flatMap((name) => waysFrom(definition, name, [READ]));
  const toRead = (way: string[]) => way.at(-1) === READ;
  const onTheWay = new Set([...fromStart, ...fromRead].filter(toRead).flat());
  const endings = [...fromStart, ...fromRead].map((way) => way.filter((name) => !onTheWay.has(name)));
  const events = (way: string[]) => eventsOfWay(definition, way);
  const start = fromStart.filter(toRead).map((way) => events(way.slice(0, -1)));
  const perRead = fromRead.filter(toRead).map((way) => eventsPerRead(definition, way.slice(0, -1)));
  return {
    once: 1 + Math.max(...start) + Math.max(...endings.map(events)) + 1,
    perRead: Math.ceil(Math.max(...perRead)),
    readsOfLargestWork: 1 + readsOfWork(Math.max(...Object.values(MAX_ITEMS))) + 1,
  };
}

/**
 * Checks that no execution of a stage can reach the history limit, whatever fails.
 * @throws Error that names the stage, the setting, its value and the largest value that fits.
 */
export function checkHistoryLimit(definition: Definition, stage: Pick<Stage, 'name' | 'readsPerExecution'>): void {
  const { once, perRead, readsOfLargestWork } = worstCase(definition);
  const most = Math.floor((ROOM - once) / perRead);
  if (readsOfLargestWork > most) {
    const events = once + readsOfLargestWork * perRead;
    throw new Error(
      `The largest piece of work of an execution writes up to ${events} history events, but only ${ROOM} fit. ` +
        'Lower the retries in statemachine/retries.ts, or the limits in core/order/work-size.ts.',
    );
  }
  if (stage.readsPerExecution <= most) return;
  throw new Error(
    `readsPerExecution of stage ${stage.name} is ${stage.readsPerExecution}; at most ${most} fit: a read with all its retries writes ` +
      `${perRead} history events, and Step Functions ends an execution at ${HISTORY_LIMIT}. Lower readsPerExecution in infra/stages.ts.`,
  );
}

/** Every path from a state to `READ` or to an end, as names of states. `before` holds the states already passed. */
function waysFrom(definition: Definition, name: string, before: string[] = []): string[][] {
  const way = [...before, name];
  if (name === READ) return [way];
  if (before.includes(name)) {
    throw new Error(`statemachine/order.asl.json has a loop through "${name}" without "${READ}": it has no bound.`);
  }
  const next = following(stateOf(definition, name));
  return next.length === 0 ? [way] : next.flatMap((other) => waysFrom(definition, other, way));
}

function following({ Next, Default, Choices = [], Catch = [] }: State): string[] {
  const names = [Next, Default, ...Choices.map((choice) => choice.Next), ...Catch.map((catcher) => catcher.Next)];
  return [...new Set(names)].filter((name) => name !== undefined);
}

/** The events of a path from one read to the next, per counted read. The maximum is at no items or at the most items. */
function eventsPerRead(definition: Definition, way: string[]): number {
  const ofType = (type: string) => way.filter((name) => name !== READ && stateOf(definition, name).Type === type);
  const maps = ofType('Map');
  // Work between two reads counts as reads: the more items, the more reads.
  if (maps.length + ofType('Task').length === 0) return eventsOfWay(definition, way);
  const most = Math.max(0, ...maps.map(mostItems));
  const perRead = (items: number) => eventsOfWay(definition, way, items) / (1 + readsOfWork(items));
  return Math.max(perRead(0), perRead(most));
}

function eventsOfWay(definition: Definition, way: string[], items?: number): number {
  return way.reduce((sum, name) => sum + eventsOfState(stateOf(definition, name), items), 0);
}

/** The events from a state's entry to its exit, with all its attempts. */
function eventsOfState(
  state: State & { name: string },
  items = state.Type === 'Map' ? mostItems(state.name) : 0,
): number {
  switch (state.Type) {
    case 'Task':
      return EVENTS_OF_ANY_STATE + attempts(state) * eventsOfAttempt(state);
    case 'Map': {
      const { ItemProcessor: processor } = state;
      if (!processor) throw new Error(`The Map state "${state.name}" has no ItemProcessor.`);
      const ofItem = Math.max(...waysFrom(processor, processor.StartAt).map((way) => eventsOfWay(processor, way)));
      return EVENTS_OF_ANY_STATE + attempts(state) * (EVENTS_OF_MAP_ATTEMPT + items * (EVENTS_OF_ITEM + ofItem));
    }
    case 'Wait':
    case 'Choice':
    case 'Pass':
    case 'Succeed':
      return EVENTS_OF_ANY_STATE;
    case 'Fail':
      return EVENTS_OF_FAIL;
    default:
      throw new Error(
        `infra/history-limit.ts does not know how many events a state of type ${state.Type} writes ("${state.name}").`,
      );
  }
}

function eventsOfAttempt({ Resource }: State): number {
  return Resource?.endsWith('.waitForTaskToken') ? EVENTS_OF_ATTEMPT_WITH_TOKEN : EVENTS_OF_ATTEMPT;
}

/** The first attempt and the retries of all retriers together: Step Functions counts each retrier on its own. */
function attempts({ Retry = [] }: State): number {
  return Retry.reduce((sum, { MaxAttempts = DEFAULT_MAX_ATTEMPTS }) => sum + MaxAttempts, 1);
}

function mostItems(map: string): number {
  const most = MAX_ITEMS[map];
  if (most !== undefined) return most;
  throw new Error(`infra/history-limit.ts does not know how many items the Map state "${map}" can have: add it there.`);
}

function stateOf({ States }: Definition, name: string): State & { name: string } {
  const state = States[name];
  if (!state) throw new Error(`statemachine/order.asl.json has no state "${name}".`);
  return { ...state, name };
}
