import { MAX_CONFIRMS, MAX_DOCUMENTS_TO_SIGN, readsOfWork } from '../functions/shared/order/work-size.ts';
import { MAX_DOCUMENTS } from '../functions/shared/package/package-schema.ts';
import type { Stage } from './stages.ts';

/** A state machine definition in the Amazon States Language, as far as it is read at synth. */
export interface Definition {
  StartAt: string;
  States: Record<string, State>;
}

export interface State {
  Type: string;
  Resource?: string;
  TimeoutSeconds?: number;
  Retry?: { MaxAttempts?: number }[];
  Next?: string;
  Choices?: { Next: string }[];
  Default?: string;
  Catch?: { Next: string }[];
  ItemProcessor?: Definition;
}

/** Step Functions ends an execution whose history grows past this. */
const HISTORY_LIMIT = 25_000;

/** What the worst case may come to. A fifth is left for what is not counted: a redrive, or events that AWS may add. */
const ROOM = 20_000;

/** Every loop of an execution passes this state, and its function counts how often. */
const READ = 'Read order';

/** The most items that each Map state is handed. */
const MOST_ITEMS: Record<string, number> = {
  'Waiting for documents': MAX_DOCUMENTS,
  'Waiting for signature': MAX_DOCUMENTS_TO_SIGN,
  'Upload signatures': MAX_DOCUMENTS_TO_SIGN,
  'Confirm offer': MAX_CONFIRMS,
};

/** The worst case of an execution's history, in events. */
export interface WorstCase {
  /** Written once: the start, the states before the first read, those that lead to an end, and the end. */
  once: number;
  /** Written by each read that counts, with the states around it; by work, for each read that it counts as. */
  perRead: number;
  /** Reads that count in an execution which begins with the largest piece of work there is, and then hands over. */
  readsOfLargestWork: number;
}

/**
 * The worst case: every Task fails and is retried as often as its retriers allow, and every Map has all the items that it may have.
 * An execution hands over as soon as its reads, and what work counts as (`readsOfWork`), come to `readsPerExecution`.
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
    readsOfLargestWork: 1 + readsOfWork(Math.max(...Object.values(MOST_ITEMS))) + 1,
  };
}

/**
 * Checks that no execution of a stage comes near the history limit, whatever fails.
 * @throws Error that names the stage, the setting, its value and the largest value that fits.
 */
export function checkHistoryLimit(definition: Definition, stage: Pick<Stage, 'name' | 'readsPerExecution'>): void {
  const { once, perRead, readsOfLargestWork } = worstCase(definition);
  const most = Math.floor((ROOM - once) / perRead);
  if (readsOfLargestWork > most) {
    const events = once + readsOfLargestWork * perRead;
    throw new Error(
      `The largest piece of work that an execution may be handed writes up to ${events} history events, and there is room for ${ROOM}. ` +
        'Lower the retries in statemachine/order.asl.json, or the largest numbers in functions/shared/order/work-size.ts.',
    );
  }
  if (stage.readsPerExecution <= most) return;
  throw new Error(
    `readsPerExecution of stage ${stage.name} is ${stage.readsPerExecution}; at most ${most} fit: with all its retries a read writes ` +
      `${perRead} history events, and Step Functions ends an execution at ${HISTORY_LIMIT}. Lower it in infra/stages.ts.`,
  );
}

/** Every way on from a state, through the states before it, to `READ` (then its last element) or to an end: names of states. */
function waysFrom(definition: Definition, name: string, before: string[] = []): string[][] {
  const way = [...before, name];
  if (name === READ) return [way];
  if (before.includes(name)) {
    throw new Error(`statemachine/order.asl.json goes round by "${name}" without "${READ}": such a loop has no bound.`);
  }
  const next = following(stateOf(definition, name));
  return next.length === 0 ? [way] : next.flatMap((other) => waysFrom(definition, other, way));
}

function following({ Next, Default, Choices = [], Catch = [] }: State): string[] {
  const names = [Next, Default, ...Choices.map((choice) => choice.Next), ...Catch.map((catcher) => catcher.Next)];
  return [...new Set(names)].filter((name) => name !== undefined);
}

/** What a way from one read to the next writes for each read that it counts as; most with no item, or with the most. */
function eventsPerRead(definition: Definition, way: string[]): number {
  const ofType = (type: string) => way.filter((name) => name !== READ && stateOf(definition, name).Type === type);
  const maps = ofType('Map');
  // Whatever is done between two reads counts as reads, and as more the more items it is done with.
  if (maps.length + ofType('Task').length === 0) return eventsOfWay(definition, way);
  const most = Math.max(0, ...maps.map(mostItems));
  const perRead = (items: number) => eventsOfWay(definition, way, items) / (1 + readsOfWork(items));
  return Math.max(perRead(0), perRead(most));
}

function eventsOfWay(definition: Definition, way: string[], items?: number): number {
  return way.reduce((sum, name) => sum + eventsOfState(stateOf(definition, name), items), 0);
}

/** Events from a state's entry to its exit, each attempt with its own (`TaskScheduled`, `TaskStarted`, `TaskFailed`, …). */
function eventsOfState(
  state: State & { name: string },
  items = state.Type === 'Map' ? mostItems(state.name) : 0,
): number {
  switch (state.Type) {
    case 'Task':
      return 2 + attempts(state) * (state.Resource?.endsWith('.waitForTaskToken') ? 4 : 3);
    case 'Map': {
      const { ItemProcessor: processor } = state;
      if (!processor) throw new Error(`The Map state "${state.name}" has no ItemProcessor.`);
      const ofItem = Math.max(...waysFrom(processor, processor.StartAt).map((way) => eventsOfWay(processor, way)));
      return 2 + attempts(state) * (2 + items * (2 + ofItem));
    }
    case 'Wait':
    case 'Choice':
    case 'Pass':
    case 'Succeed':
      return 2;
    case 'Fail':
      return 1;
    default:
      throw new Error(
        `infra/history-limit.ts does not know what a state of type ${state.Type} writes ("${state.name}").`,
      );
  }
}

/** The first attempt, and as many more as all retriers together allow: Step Functions counts for each of them. */
function attempts({ Retry = [] }: State): number {
  return Retry.reduce((sum, { MaxAttempts = 3 }) => sum + MaxAttempts, 1);
}

function mostItems(map: string): number {
  const most = MOST_ITEMS[map];
  if (most !== undefined) return most;
  throw new Error(`infra/history-limit.ts does not know how many items the Map state "${map}" may have: say so there.`);
}

function stateOf({ States }: Definition, name: string): State & { name: string } {
  const state = States[name];
  if (!state) throw new Error(`statemachine/order.asl.json has no state "${name}".`);
  return { ...state, name };
}
