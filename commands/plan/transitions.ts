import { readsOfWork } from '../../core/order/work-size.ts';
import type { Definition, State } from '../../infra/history-limit.ts';
import deployed from '../../statemachine/order.asl.json' with { type: 'json' };
import { LEAST_POLLS, type OrderSize } from './order-size.ts';

/** What a closed order takes from Step Functions. */
export interface Passage {
  /** States entered, in all executions. */
  transitions: number;
  executions: number;
}

/** A comparison of a Choice state, as far as `order.asl.json` uses them. */
interface Rule {
  Variable?: string;
  StringEquals?: string;
  BooleanEquals?: boolean;
  IsPresent?: boolean;
  And?: Rule[];
  Or?: Rule[];
  Not?: Rule;
}

/** What a read puts into the cursor, and how many items the work after it is about. */
interface Read {
  status: string;
  todo: string;
  signing?: string;
  work?: number;
}

/** No order of a sensible size takes as many steps. A definition that never ends is a mistake. */
const MOST_STEPS = 50_000_000;

/** The definition that is deployed. */
export function orderDefinition(): Definition {
  return structuredClone(deployed) as Definition;
}

/** Walks through the definition as an order does that goes straight to `CLOSED`. */
export function passage(size: OrderSize, readsPerExecution: number, definition = orderDefinition()): Passage {
  const executions = executionsOf(size, readsPerExecution);
  const walked = executions.map((reads) => walk(definition, reads, size));
  return { transitions: walked.reduce((sum, count) => sum + count, 0), executions: executions.length };
}

/** The reads of each execution. Reads that bring nothing new come first. */
function executionsOf(size: OrderSize, readsPerExecution: number): Read[][] {
  const executions: Read[][] = [[]];
  let counted = 0;
  for (const read of readsOf(size)) {
    const isFirst = counted === 0;
    counted += 1 + (read.work === undefined ? 0 : readsOfWork(read.work));
    // An execution hands over as `handOver` in functions/read-order says.
    if (counted < readsPerExecution || read.status === 'CLOSED' || (isFirst && read.work !== undefined)) {
      executions.at(-1)?.push(read);
      continue;
    }
    executions.at(-1)?.push({ ...read, todo: 'continue' });
    // The next execution reads the order again before it does any work.
    executions.push(read.work === undefined ? [] : [read]);
    counted = read.work === undefined ? 0 : 1 + readsOfWork(read.work);
  }
  return executions;
}

function readsOf({ polls, documents, toSign, confirms }: OrderSize): Read[] {
  const waits = Math.max(0, polls - LEAST_POLLS);
  return [
    ...Array.from({ length: waits }, () => ({ status: 'IN_WORK', todo: 'wait' })),
    { status: 'WAITING_FOR_DOCUMENTS', todo: 'act', work: documents },
    { status: 'WAITING_FOR_SIGNATURE', todo: 'act', signing: 'external', work: toSign },
    { status: 'OFFERS_AVAILABLE', todo: 'act', work: confirms },
    { status: 'CLOSED', todo: 'act' },
  ];
}

/** Counts the states that an execution enters, those of each Map's items included. */
function walk(definition: Definition, reads: readonly Read[], size: OrderSize): number {
  let entered = 0;
  let read: Read | undefined;
  let next = 0;
  for (let name: string | undefined = definition.StartAt; name !== undefined; ) {
    const state: State = stateOf(definition, name);
    entered += 1;
    if (entered > MOST_STEPS) throw new Error('statemachine/order.asl.json never ends.');
    if (name === 'Read order') read = reads[next++] ?? read;
    const { ItemProcessor: items } = state;
    if (items) entered += itemsOf(name, size) * walk(items, [], size);
    name = state.Type === 'Choice' ? chosen(name, state, read) : state.Next;
  }
  return entered;
}

function itemsOf(map: string, { documents, toSign, confirms }: OrderSize): number {
  const items: Record<string, number> = {
    'Waiting for documents': documents,
    'Waiting for signature': toSign,
    'Upload signatures': toSign,
    'Confirm offer': confirms,
  };
  const count = items[map];
  if (count !== undefined) return count;
  throw new Error(`commands/plan/transitions.ts does not know the items of the Map state "${map}": add it there.`);
}

function chosen(name: string, { Choices = [], Default }: State, read: Read | undefined): string {
  const rules = Choices as (Rule & { Next: string })[];
  const next = rules.find((rule) => holds(rule, read))?.Next ?? Default;
  if (next !== undefined) return next;
  throw new Error(`The Choice state "${name}" has no way for ${JSON.stringify(read)}.`);
}

/** Whether a comparison holds. */
function holds(rule: Rule, read: Read | undefined): boolean {
  if (rule.And) return rule.And.every((one) => holds(one, read));
  if (rule.Or) return rule.Or.some((one) => holds(one, read));
  if (rule.Not) return !holds(rule.Not, read);
  const value = read?.[(rule.Variable ?? '').slice('$.'.length) as keyof Read];
  if (rule.IsPresent !== undefined) return rule.IsPresent === (value !== undefined);
  if (rule.StringEquals !== undefined) return value === rule.StringEquals;
  if (rule.BooleanEquals !== undefined) return value === String(rule.BooleanEquals);
  throw new Error(`commands/plan/transitions.ts does not know the comparison ${JSON.stringify(rule)}: add it there.`);
}

function stateOf({ States }: Definition, name: string): State {
  const state = States[name];
  if (state) return state;
  throw new Error(`statemachine/order.asl.json has no state "${name}".`);
}
