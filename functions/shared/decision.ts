import { z } from 'zod';
import { environment } from './environment.ts';
import { decisionKey } from './intake-key.ts';
import type { OperationEntry } from './ledger.ts';
import { confirmName } from './operations.ts';
import type { Offer } from './order-service-client.ts';
import { stageJson, stagingKey, unstage } from './staging.ts';
import { readObject } from './storage.ts';
import { getItem, putItem, queryItems } from './table.ts';

/** One chosen credit option of one offer (specification, endpoint 7). */
export interface Choice {
  offerId: string;
  code: string;
}

/** The item `decision`: choices are only ever added, so that a position in the list names one choice for good. */
interface DecisionItem {
  choices: Choice[];
  version: number;
}

const decisionSchema = z.strictObject({
  choices: z.array(z.strictObject({ offerId: z.string().min(1), code: z.string().min(1) })).max(100),
});

async function findDecision(orderRef: string): Promise<DecisionItem | undefined> {
  return getItem<DecisionItem>({ orderRef, item: 'decision' });
}

/** Whether offers were decided on, and the positions of the choices that are not confirmed yet. */
export async function openChoices(orderRef: string): Promise<{ decided: boolean; open: number[] }> {
  const decision = await findDecision(orderRef);
  if (!decision) return { decided: false, open: [] };
  const entries = await queryItems<OperationEntry>(orderRef, 'operation#confirm#');
  const confirmed = new Set(entries.filter(({ state }) => state === 'done').map(({ item }) => item));
  const open = decision.choices.flatMap(({ offerId }, position) =>
    confirmed.has(`operation#${confirmName(offerId)}`) ? [] : [position],
  );
  return { decided: true, open };
}

/** The choice at a position of the order's decision; undefined when there is none. */
export async function choiceAt(orderRef: string, position: number): Promise<Choice | undefined> {
  return (await findDecision(orderRef))?.choices[position];
}

/** Adds choices to the decision; an offer that is in it already is passed over. */
export async function addDecision(orderRef: string, choices: Choice[]): Promise<void> {
  for (;;) {
    const earlier = await findDecision(orderRef);
    const known = earlier?.choices ?? [];
    const added = choices.filter(({ offerId }) => !known.some((choice) => choice.offerId === offerId));
    if (earlier && added.length === 0) return;
    const version = earlier?.version ?? 0;
    const written = await putItem(
      { orderRef, item: 'decision', choices: [...known, ...added], version: version + 1 },
      earlier ? 'version = :version' : 'attribute_not_exists(orderRef)',
      earlier && { ':version': version },
    );
    if (written) return;
  }
}

/** The offers as the service sent them, from staging; undefined before the service had any. */
export async function stagedOffers(orderRef: string): Promise<Offer[] | undefined> {
  const stored = await readObject({ bucket: environment('STAGING_BUCKET'), key: stagingKey(orderRef, 'offers.json') });
  return stored && (JSON.parse(new TextDecoder().decode(stored.bytes)) as Offer[]);
}

/** Why each choice can't be confirmed, as sentences; empty when all can. */
export function choiceProblems(choices: Choice[], offers: Offer[]): string[] {
  return choices.flatMap(({ offerId, code }, position) => {
    const offer = offers.find((candidate) => candidate.offerId === offerId);
    const at = `$.choices[${position}]`;
    if (!offer) return [`${at}.offerId: the order has no such offer. Take one from offers.json in staging.`];
    if (choices.findIndex((choice) => choice.offerId === offerId) < position)
      return [`${at}.offerId: this offer is chosen twice.`];
    if (offer.status !== 'AVAILABLE')
      return [`${at}.offerId: this offer is not AVAILABLE, so it can not be confirmed.`];
    if ((offer.creditOptions ?? []).some((option) => option.code === code)) return [];
    return [`${at}.code: this offer has no such credit option. Take a code from its creditOptions in offers.json.`];
  });
}

/**
 * Takes `decision.json` from intake into the record. A decision that can't be carried out is answered in staging as
 * `decision-rejected.json`, changes nothing, and may be uploaded again.
 * @returns whether there was a decision that could be taken.
 */
export async function takeDecision(orderRef: string, offers: Offer[]): Promise<boolean> {
  const stored = await readObject({ bucket: environment('INTAKE_BUCKET'), key: decisionKey(orderRef) });
  if (!stored) return false;
  const choices = parseDecision(stored.bytes);
  const problems = choices
    ? choiceProblems(choices, offers)
    : ['$: decision.json must read { "choices": [{ "offerId": "…", "code": "…" }] }; an empty list takes no offer.'];
  if (!choices || problems.length > 0) {
    await stageJson(orderRef, 'decision-rejected.json', { orderRef, versionId: stored.versionId, problems });
    return false;
  }
  await addDecision(orderRef, choices);
  await unstage(orderRef, 'decision-rejected.json');
  return true;
}

function parseDecision(bytes: Uint8Array): Choice[] | undefined {
  try {
    return decisionSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))).choices;
  } catch {
    // Whatever is wrong with it, the answer is the one sentence that shows how it must read.
    return undefined;
  }
}
