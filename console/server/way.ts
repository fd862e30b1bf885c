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

const { States } = orderDefinition();

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
    const last = newest.at(-1);
    const present = tracks.at(-1)?.entered.at(-1);
    return {
      ...counted(tracks),
      ...(present && { present: { ...present, status: last?.status ?? '' } }),
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

/** How often each state was entered, and from which one. */
function counted(tracks: Track[]): Pick<Way, 'visits' | 'steps'> {
  const visits: Record<string, number> = {};
  const steps = new Map<string, { from: string; to: string; count: number }>();
  for (const { entered } of tracks) {
    for (const [position, { state }] of entered.entries()) {
      visits[state] = (visits[state] ?? 0) + 1;
      const from = entered[position - 1]?.state;
      if (from === undefined) continue;
      const key = JSON.stringify([from, state]);
      const step = steps.get(key) ?? { from, to: state, count: 0 };
      steps.set(key, { ...step, count: step.count + 1 });
    }
  }
  return { visits, steps: [...steps.values()] };
}
