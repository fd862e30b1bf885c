import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { OrderItem } from '../order/order-item.ts';
import type { Ledger, Plan, Read, View } from './plan.ts';
import type { ReadingRules } from './rules.ts';

/** The parts of the record that `decide` uses. */
const USED = [
  ...(['orderRef', 'generation', 'redrives', 'retriedIn', 'status', 'statusSince', 'waitingFor', 'awaited'] as const),
  ...(['rounds', 'repeats', 'unsigned', 'notBefore', 'pollAfterSeconds', 'snapshotSha256', 'signing'] as const),
] as const satisfies (keyof OrderItem)[];

/** The input of `decide` for a read, and its result. The answer is a version of `snapshot.json`. */
export interface KeptRead extends View {
  sha256: string;
  rules: ReadingRules;
  plan: PlanSummary;
}

export type PlanSummary = ReturnType<typeof summaryOf>;

/**
 * A read as the record stores it, if it changes the record or fails.
 * @returns its text, and a name that is the same for the same plan after the same answer.
 */
export function keptReadOf({ record, cursor, ledger }: View, { sha256 }: Read, rules: ReadingRules, plan: Plan) {
  if (!plan.record && !plan.failure) return undefined;
  const used = Object.fromEntries(USED.map((name) => [name, record[name]]));
  const counted = { decision: { version: record.decision.version }, documents: record.documents.map(() => 0) };
  const failed = record.failure && { failure: true };
  const summary = summaryOf(plan);
  const kept = {
    sha256,
    record: { ...used, ...counted, ...failed },
    cursor,
    ledger: unnamed(ledger),
    rules,
    plan: summary,
  };
  const name = createHash('sha256')
    .update(JSON.stringify([sha256, summary]))
    .digest('hex')
    .slice(0, 8);
  return { name, text: deflateRawSync(JSON.stringify(kept)).toString('base64') };
}

/** Who decided is only in the record. `decide` does not use it. */
function unnamed({ accepts, decision }: Ledger): Ledger {
  return { accepts, ...(decision && { decision: { choices: decision.choices, none: decision.none } }) };
}

export type Kept = NonNullable<ReturnType<typeof keptReadOf>>;

/** The most bytes of a stored read, and of its answer. An item of the record has at most 400 KB, which could inflate to 400 MB. */
export const MOST_BYTES = 8 * 2 ** 20;

/** @throws Error if the text is no stored read. */
export function restore(text: string): KeptRead {
  const bytes = inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: MOST_BYTES });
  return JSON.parse(bytes.toString()) as KeptRead;
}

/** What a plan does, in references and counts. */
export function summaryOf({ settled = [], record, failure, output }: Plan) {
  return {
    todo: output.todo,
    ...(record && { status: record.changes.status, rounds: record.changes.rounds }),
    settled: settled.map(({ name, outcome }) => `${outcome ? 'done' : 'not done'} ${name}`),
    toConfirm: output.toConfirm.map(({ position }) => position),
    ...(failure && { failure: failure.name }),
  };
}
