import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { confirmName } from '../order/operation-names.ts';
import type { OrderItem } from '../order/order-item.ts';
import sample from './kept-sample.json' with { type: 'json' };
import type { Plan, Read, View } from './plan.ts';
import { asksForOthers } from './round.ts';
import type { ReadingRules } from './rules.ts';

/** What a read was decided from, and what was decided, without the identifiers of files and offers. */
type KeptRead = View & { rules: ReadingRules; isSame: boolean; isAsked: boolean; plan: PlanSummary };
export type PlanSummary = ReturnType<typeof summaryOf>;

/**
 * The sample has every member that is kept. It is also the dictionary of the compression, which makes a kept read a tenth as long.
 * Releases share it: a new member is added in a new element in front of the others, and nothing else changes.
 */
const SAMPLE = JSON.stringify(sample);
const MEMBERS = [...new Set(SAMPLE.match(/\w+(?=":)/g))];
// Times in a kept read are near to its own.
const dictionaryAt = (at: string) => Buffer.from(SAMPLE + at);

/** A kept read begins with so many characters of the SHA-256 of its answer, a version of `snapshot.json`. */
export const DIGEST_LENGTH = 12;

/**
 * A read as the record keeps it, if it changes the record or fails.
 * @returns its text, and a name that is the same for the same plan after the same answer.
 */
export function keep(view: View, read: Read, rules: ReadingRules, plan: Plan, now: number) {
  if (!plan.record && !plan.failure) return undefined;
  const { snapshotSha256, rounds } = view.record;
  const isSame = snapshotSha256 === read.sha256;
  const isAsked = rounds?.signatures !== undefined && !asksForOthers(fileIdsIn(read), rounds.signatures);
  const kept: KeptRead = { ...view, rules, isSame, isAsked, plan: summaryOf(plan, view) };
  const dictionary = dictionaryAt(new Date(now).toISOString());
  const packed = deflateRawSync(JSON.stringify(kept, MEMBERS), { level: 9, dictionary }).toString('base64');
  const digest = createHash('sha256').update(read.sha256 + planText(kept.plan));
  return { name: digest.digest('hex').slice(0, 8), text: read.sha256.slice(0, DIGEST_LENGTH) + packed };
}

/**
 * What `decide` was given, and what it decided.
 * @param at when the answer arrived.
 * @param order gives the identifiers of the chosen offers: a choice keeps its position.
 */
export function restore(text: string, at: string, order: OrderItem, read: Read): KeptRead {
  const packed = Buffer.from(text.slice(DIGEST_LENGTH), 'base64');
  const kept = JSON.parse(String(inflateRawSync(packed, { dictionary: dictionaryAt(at) }))) as KeptRead;
  const { record, cursor, ledger } = kept;
  record.orderRef = cursor.orderRef = order.orderRef;
  if (kept.isSame) record.snapshotSha256 = read.sha256;
  const { documents, signatures } = record.rounds ?? {};
  if (documents) documents.fileIds = [];
  if (signatures) signatures.fileIds = kept.isAsked ? fileIdsIn(read) : [];
  for (const [position, { choice, unsure }] of (ledger.decision?.choices ?? []).entries()) {
    choice.offerId = order.decision.choices[position]?.offerId ?? '';
    if (unsure) unsure.offerId = choice.offerId;
  }
  return kept;
}

/** What a plan does, in references and counts. */
export function summaryOf({ settled = [], record, failure, output }: Plan, { ledger }: Pick<View, 'ledger'>) {
  const confirms = ledger.decision?.choices.map(({ choice }) => confirmName(choice.offerId)) ?? [];
  const nameOf = (name: string) => (confirms.includes(name) ? `confirm ${confirms.indexOf(name)}` : name);
  return {
    todo: output.todo,
    status: record?.changes.status,
    rounds: record?.changes.rounds,
    settled: settled.map(({ name, outcome }) => `${outcome ? 'done' : 'not done'} ${nameOf(name)}`),
    toConfirm: output.toConfirm.map(({ position }) => position),
    failure: failure?.name,
  };
}

export const planText = (plan: PlanSummary) => JSON.stringify(plan, MEMBERS);

const fileIdsIn = ({ order }: Read) => (order.documents ?? []).map(({ fileId }) => fileId);
