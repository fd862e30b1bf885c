import { type Answer, Refusal } from './shared/text.ts';

/** The faults that the simulator has switches for. `up` is none. */
export const FAULTS = ['down', 'reject', 'html', 'slow', 'up'] as const;

export type Fault = (typeof FAULTS)[number];

interface FaultState {
  fault: Fault;
  /** Of the pages of `html`. */
  status?: number;
}

const LONGEST_CALL = 5_000;

/**
 * `simulator`: switches a fault on, or says which one is on.
 * @param switches the address of the simulator's switches
 */
export async function simulator(switches: string, wish: FaultState | undefined): Promise<Answer> {
  const state = await call(switches, wish);
  const line = `The simulator at ${state.url} ${sentenceOf(state)}`;
  const fix = `"loan-orders simulator up" ends that.`;
  return { lines: state.fault === 'up' ? [line] : [line, fix], json: state };
}

function sentenceOf({ fault, status }: FaultState): string {
  switch (fault) {
    case 'up':
      return 'is up: it answers every call.';
    case 'down':
      return 'is down: it refuses every connection. Calls that were under way end first.';
    case 'reject':
      return 'refuses new orders with 422. Orders that it has go on.';
    case 'html':
      return `answers every call with a page of HTML and status ${status}, except requests for a token.`;
    case 'slow':
      return 'does what it is asked, and answers only after our functions have given up, except requests for a token.';
  }
}

async function call(switches: string, wish: FaultState | undefined): Promise<FaultState & { url: string }> {
  const body = wish && { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(wish) };
  let answer: unknown;
  try {
    const response = await fetch(new URL('/fault', switches), { ...body, signal: AbortSignal.timeout(LONGEST_CALL) });
    answer = response.ok ? await response.json() : undefined;
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } };
    throw new Refusal(
      `No simulator answers at ${switches} (${cause?.code ?? name}): it may not have changed. ` +
        'Start one with "npm start" or "npm run simulator", then repeat the command.',
    );
  }
  if (isState(answer)) return answer;
  throw new Refusal(
    `Whatever answered at ${switches} is not the switches of a simulator: nothing was done. ` +
      'Use the address that "npm run simulator" prints as switches.',
  );
}

function isState(answer: unknown): answer is FaultState & { url: string } {
  const { fault, url } = (answer ?? {}) as Partial<FaultState & { url: string }>;
  return FAULTS.some((name) => name === fault) && typeof url === 'string';
}
