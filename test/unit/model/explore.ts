import { type Move, moved, movesFrom, type Scenario, type State, startOf, stepsFrom, wrongIn } from './order-model.ts';

/** Tries everything, breadth first, until a promise is broken: that and the shortest way there, or how orders end. */
export async function explore(scenario: Scenario): Promise<{ states: number; result: string; way: string[] }> {
  const reached: { move: Move; from: number }[] = [{ move: ['', startOf(scenario)], from: -1 }];
  const known = new Set<string>();
  const ends = new Map<string, string>();
  for (const [position, { move }] of reached.entries()) {
    const [, state] = move;
    const broken = state.broken || wrongIn(state);
    const result = broken || (await endOf(state, ends));
    if (broken || result === 'livelock') return { states: known.size, result, way: wayTo(position, reached) };
    for (const next of await movesFrom(state)) {
      const key = keyOf(next[1]);
      if (!known.has(key)) reached.push({ move: next, from: position });
      known.add(key);
    }
  }
  return { states: known.size, result: [...new Set(ends.values())].sort().join(', '), way: [] };
}

const texts = new Map<string, number>();
const numbers = new WeakMap<object, number>();

/** States share most of their parts, so each part has a number. */
function numberOf(part: object): number {
  const text = JSON.stringify(part);
  const number = texts.get(text) ?? texts.size;
  texts.set(text, number);
  numbers.set(part, number);
  return number;
}

const keyOf = (state: State) =>
  Object.values(state)
    .map((part) => (typeof part === 'object' && part ? (numbers.get(part) ?? numberOf(part)) : part))
    .join();

function wayTo(position: number, reached: { move: Move; from: number }[]): string[] {
  const { move, from = -1 } = reached[position] ?? {};
  return move && from >= 0 ? [...wayTo(from, reached), move[0]] : [];
}

/** How the order ends if nothing fails any more, and the calls that are under way are lost. */
async function endOf(state: State, ends: Map<string, string>): Promise<string> {
  const way = new Set<string>();
  const { faults, retries } = state.scenario;
  let now: State = { ...state, late: [], past: null, faults, retries };
  for (;;) {
    const key = keyOf(now);
    const isEnd = now.calls.length === 0 && now.at !== 'read';
    const end = ends.get(key) ?? (now.broken || (isEnd ? now.at : way.has(key) ? 'livelock' : undefined));
    way.add(key);
    if (end !== undefined) {
      for (const one of way) ends.set(one, end);
      return end;
    }
    now = { ...(await rightly(now)), past: null };
  }
}

/** What comes next if nothing fails. The service closes the order when another read would change nothing. */
async function rightly(state: State): Promise<State> {
  const after = state.calls.length === 0 ? moved(state) : undefined;
  if (after && state.service.status === 'IN_WORK') return after;
  const next: State = { ...((await stepsFrom(state))[0]?.[1] ?? state), past: null };
  return after && keyOf(next) === keyOf(state) ? after : next;
}
