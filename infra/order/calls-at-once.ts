import { definitions } from './function-definitions.ts';

/**
 * How the stage's calls are divided among the functions that make them, in percent. Each of them makes one call at a time, so
 * its reserved concurrency bounds its calls. Most calls are reads; a call with a file takes longest.
 */
const PERCENT: Record<string, number> = {
  'read-order': 40,
  'upload-document': 16,
  'download-document': 16,
  'upload-signature': 12,
  'create-order': 6,
  'accept-order': 5,
  'confirm-offer': 5,
};

/** The most runs of a function at once; undefined if the stage or the function has no bound. */
export function runsAtOnce(callsAtOnce: number | undefined, functionName: string): number | undefined {
  if (callsAtOnce === undefined) return undefined;
  return divided(callsAtOnce).get(functionName);
}

/** Each function gets one run and its percentage of the others. What is left over goes to the reads. */
function divided(callsAtOnce: number): Map<string, number> {
  const names = callingFunctions();
  const others = callsAtOnce - names.length;
  const runs = new Map(names.map((name) => [name, 1 + Math.floor((others * percentOf(name)) / 100)]));
  const given = [...runs.values()].reduce((sum, count) => sum + count, 0);
  runs.set('read-order', (runs.get('read-order') ?? 0) + callsAtOnce - given);
  return runs;
}

function callingFunctions(): string[] {
  return Object.entries(definitions).flatMap(([name, definition]) => ('callsService' in definition ? [name] : []));
}

function percentOf(name: string): number {
  const percent = PERCENT[name];
  if (percent !== undefined) return percent;
  throw new Error(`Function ${name} has no share of callsAtOnce: add one in infra/order/calls-at-once.ts.`);
}
