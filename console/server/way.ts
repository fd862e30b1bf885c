import type { Execution, Executions } from '../../commands/stage/executions.ts';
import { orderDefinition } from '../../statemachine/order-definition.ts';
import type { Way } from '../api.ts';

/** The states that one execution entered, in order, as far as its history was read. */
interface Track {
  lastId: number;
  entered: { state: string; at: string }[];
  /** Whether the execution had ended when its history was read. */
  isOver: boolean;
}

const { StartAt: start, States } = orderDefinition();

/** Which state may follow which. States inside a Map belong to the Map. */
const STEPS = Object.entries(States).flatMap(([from, { Next, Choices = [], Default, Catch = [] }]) => {
  const usual = new Set([Next, ...Choices.map((choice) => choice.Next), Default].filter((to) => to !== undefined));
  const failing = new Set(Catch.map((caught) => caught.Next).filter((to) => !usual.has(to)));
  return [...usual, ...failing].map((to) => ({ from, to, isFailure: failing.has(to) }));
});

/** Older executions are left out: a history may have thousands of events. */
const MOST_EXECUTIONS = 10;
/** Tracks of orders that nobody looks at any more are forgotten. */
const MOST_TRACKS = 200;

/** Finds out which way orders took through the state machine. What was read of a history is not read again. */
export class Ways {
  readonly #executions: Pick<Executions, 'eventsAfter'>;
  readonly #tracks = new Map<string, Track>();

  constructor(executions: Pick<Executions, 'eventsAfter'>) {
    this.#executions = executions;
  }

  /** The way of an order through its executions, oldest first. */
  async of(executions: Execution[]): Promise<Way> {
    const newest = executions.slice(-MOST_EXECUTIONS);
    const tracks: Track[] = [];
    for (const execution of newest) tracks.push(await this.#track(execution));
    const present = tracks.at(-1)?.entered.at(-1);
    const states = tracks.map(({ entered }) => entered.map(({ state }) => state));
    const count = (to: string, from?: string) =>
      states.flatMap((names) =>
        names.filter((name, at) => name === to && (from === undefined || from === names[at - 1])),
      ).length;
    return {
      start,
      states: Object.keys(States).map((name) => ({ name, visits: count(name) })),
      steps: STEPS.map((step) => ({ ...step, count: count(step.to, step.from) })),
      ...(present && { present: { ...present, status: newest.at(-1)?.status ?? '' } }),
      executions: tracks.length,
      leftOut: executions.length - newest.length,
    };
  }

  async #track(execution: Execution): Promise<Track> {
    const known = this.#tracks.get(execution.arn) ?? { lastId: 0, entered: [], isOver: false };
    if (known.isOver) return known;
    const events = await this.#executions.eventsAfter(execution, known.lastId);
    const entered = events.flatMap(({ stateEnteredEventDetails, timestamp }) => {
      const state = stateEnteredEventDetails?.name ?? '';
      return Object.hasOwn(States, state) ? [{ state, at: timestamp?.toISOString() ?? '' }] : [];
    });
    const track = {
      lastId: events.at(-1)?.id ?? known.lastId,
      entered: [...known.entered, ...entered],
      isOver: execution.endedAt !== undefined,
    };
    this.#tracks.set(execution.arn, track);
    const [oldest] = this.#tracks.keys();
    if (this.#tracks.size > MOST_TRACKS && oldest !== undefined) this.#tracks.delete(oldest);
    return track;
  }
}
