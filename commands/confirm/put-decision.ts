import type { OrderItem } from '../../core/order/order-item.ts';
import { DECISION_BYTES } from '../../core/package/decision-limits.ts';
import { parseDecision } from '../../core/package/decision-schema.ts';
import { decisionKey } from '../../core/package/intake-key.ts';
import type { Buckets, IntakeFile } from '../shared/buckets.ts';
import { offersText, writtenLines } from '../shared/decided.ts';
import { isAccessDenied } from '../shared/failure.ts';
import { Overtaken } from '../shared/overtaken.ts';
import { plain } from '../shared/text.ts';

/** A try fails only if somebody else wrote at the same moment. */
const MOST_TRIES = 5;

/**
 * Uploads a decision. Of two concurrent decisions, the second is refused: it replaces only a file that was recorded or rejected.
 * @throws Refusal that says who decided what.
 */
export async function putDecision(buckets: Buckets, order: OrderItem, text: string): Promise<void> {
  const { orderRef } = order;
  const key = decisionKey(orderRef);
  const find = finder(buckets, key);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const current = await find();
    if (current && (await fateOf(buckets, order, current)) === 'waits') {
      // The answer to an earlier attempt was lost.
      if (current.text === text) return;
      const { said, ...decided } = contentOf(current);
      throw new Overtaken(`${decidedMeanwhile(orderRef)} ${said} ${DECIDE_AGAIN}`, { decided });
    }
    if (await buckets.putIntakeIf(key, text, 'application/json', current?.etag)) return;
  }
  throw new Overtaken(`${decidedMeanwhile(orderRef)} ${DECIDE_AGAIN}`, { decided: {} });
}

type Fate = 'recorded' | 'rejected' | 'waits';

async function fateOf(buckets: Buckets, { orderRef, decision }: OrderItem, { versionId }: IntakeFile): Promise<Fate> {
  if (versionId === decision.decided?.file) return 'recorded';
  const rejected = await buckets.staged<{ versionId?: string }>(orderRef, 'decision-rejected.json');
  return rejected?.versionId === versionId ? 'rejected' : 'waits';
}

/** The state of this decision, if it was uploaded after this many decisions were seen. A rejected file does not count. */
export async function fateSince(
  buckets: Buckets,
  order: OrderItem,
  decisions: number,
  text: string,
): Promise<Exclude<Fate, 'rejected'> | undefined> {
  const current = await finder(buckets, decisionKey(order.orderRef))();
  if (current?.text !== text) return undefined;
  const fate = await fateOf(buckets, order, current);
  return fate === 'rejected' || (fate === 'recorded' && order.decision.version === decisions) ? undefined : fate;
}

export async function isInIntake(buckets: Buckets, orderRef: string, text: string): Promise<boolean> {
  return (await buckets.intakeFile(decisionKey(orderRef), DECISION_BYTES))?.text === text;
}

export const decidedMeanwhile = (orderRef: string) =>
  `Somebody decided on order ${orderRef} a moment ago: nothing of yours was uploaded.`;
export const DECIDE_AGAIN = 'Look at the order, and decide again only if that is to be replaced.';

/** Without the right to list the bucket, S3 answers "access denied" for a missing file. The write then shows whether it is missing. */
function finder(buckets: Buckets, key: string): () => Promise<IntakeFile | undefined> {
  let isDenied = false;
  return () =>
    buckets.intakeFile(key, DECISION_BYTES).catch((error: Error) => {
      if (isDenied || !isAccessDenied(error)) throw error;
      isDenied = true;
      return undefined;
    });
}

function contentOf({ text }: IntakeFile) {
  const found = parseDecision(text === undefined ? undefined : Buffer.from(text));
  if ('problems' in found) return { said: 'That decision is still to be checked.' };
  const { choices, ...written } = found;
  const said = [plain(`That decision takes ${offersText(choices)}.`), ...writtenLines(written)].join(' ');
  return { said, choices, decidedBy: written.decidedBy };
}
