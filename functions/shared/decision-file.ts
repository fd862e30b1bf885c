import * as z from 'zod';
import { addDecision, type Choice, choiceProblems, findDecision, openPositions } from './decision.ts';
import { environment } from './environment.ts';
import { decisionKey } from './intake-key.ts';
import type { OrderItem } from './order-record.ts';
import type { Offer } from './order-service-client.ts';
import { stageJson, stagingKey, unstage } from './staging.ts';
import { readObject } from './storage.ts';

const decisionSchema = z.strictObject({
  choices: z.array(z.strictObject({ offerId: z.string().min(1), code: z.string().min(1) })).max(100),
});

/** The offers as the service sent them, from staging; undefined before the service had any. */
export async function stagedOffers(orderRef: string): Promise<Offer[] | undefined> {
  const stored = await readObject({ bucket: environment('STAGING_BUCKET'), key: stagingKey(orderRef, 'offers.json') });
  return stored && (JSON.parse(new TextDecoder().decode(stored.bytes)) as Offer[]);
}

/**
 * Takes `decision.json` from intake into the record. A decision that can't be carried out is answered in staging as
 * `decision-rejected.json`, changes nothing, and may be uploaded again. What was decided and confirmed before may be repeated.
 * @returns whether there was a decision that could be taken.
 */
export async function takeDecision(orderRef: string, offers: Offer[]): Promise<boolean> {
  const stored = await readObject({ bucket: environment('INTAKE_BUCKET'), key: decisionKey(orderRef) });
  if (!stored) return false;
  const choices = parseDecision(stored.bytes);
  const problems = choices
    ? choiceProblems(choices, offers, await findDecision(orderRef))
    : ['$: decision.json must read { "choices": [{ "offerId": "…", "code": "…" }] }; an empty list takes no offer.'];
  if (!choices || problems.length > 0) {
    await stageJson(orderRef, 'decision-rejected.json', { orderRef, versionId: stored.versionId, problems });
    return false;
  }
  await addDecision(orderRef, choices);
  await unstage(orderRef, 'decision-rejected.json');
  return true;
}

/** What the Map state `Confirm offer` runs over: positions in the order's decision, never the offers themselves. */
export async function choicesOutput(
  { orderRef, generation }: Pick<OrderItem, 'orderRef' | 'generation'>,
  offers: Offer[],
) {
  const open = openPositions(await findDecision(orderRef), offers);
  return open.map((position) => ({ orderRef, generation, position }));
}

function parseDecision(bytes: Uint8Array): Choice[] | undefined {
  try {
    return decisionSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))).choices;
  } catch {
    // Whatever is wrong with it, the answer is the one sentence that shows how it must read.
    return undefined;
  }
}
