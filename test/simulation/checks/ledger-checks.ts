import type { KeptDecision } from '../../../functions/shared/order/choices.ts';
import { confirmName } from '../../../functions/shared/order/operation-names.ts';
import type { SimulatedOrder } from '../../../simulator/index.ts';
import { type Evidence, ledgerOf, recordOf } from './evidence.ts';

/** What an order's ledger says against what the service has of it. */
export function ledgerProblems(evidence: Evidence, order: SimulatedOrder): string[] {
  if (!recordOf(evidence)) return [];
  const checks = [creationProblems, confirmProblems, lostChoices, openConfirms, missingEffects];
  return checks.flatMap((check) => check(evidence, order));
}

function creationProblems(evidence: Evidence): string[] {
  const record = recordOf(evidence);
  const creation = ledgerOf(evidence).get('create')?.knowledge.state;
  const denied = creation === 'none' || creation === 'unlikely' ? ['our record says that it was not created'] : [];
  // Only a person can find out what became of a creation whose answer was lost, or start what was killed in the middle of it.
  const isAsked =
    record?.waitingFor === 'operator' && (record.failure?.error === 'OutcomeUnknown' || creation === 'open');
  const isUnknown = record && record.orderId === undefined && !isAsked && !evidence.plan.operatorAway;
  return isUnknown ? [...denied, 'the service has it, and our record has no orderId'] : denied;
}

function confirmProblems(evidence: Evidence, order: SimulatedOrder): string[] {
  const ledger = ledgerOf(evidence);
  return order.offers.flatMap(({ offerId }) => {
    const confirmed = order.confirmations.find((confirmation) => confirmation.offerId === offerId);
    const knowledge = ledger.get(confirmName(offerId))?.knowledge;
    if (knowledge?.state !== 'done') {
      if (!confirmed || knowledge?.state === 'open') return [];
      return [`the service has ${offerId} confirmed, and our record says ${knowledge?.state ?? 'nothing'}`];
    }
    const { code } = knowledge.outcome;
    if (!confirmed) return [`our record has ${offerId} confirmed, and the service has not`];
    if (code === confirmed.code) return [];
    return [`our record has ${offerId} confirmed with ${code}, and the service with ${confirmed.code}`];
  });
}

/**
 * Whether the execution that confirmed was ended in the middle of it. The bank closes an order soon after its first confirm, before
 * the execution that a retry starts may read it: that one finds it CLOSED, and nothing can be confirmed any more. While no execution is
 * ended, every choice gets its attempt.
 */
function wasInterrupted({ retries }: Evidence, { confirmations }: SimulatedOrder): boolean {
  const [first] = confirmations;
  return first !== undefined && retries.some((at) => at >= first.at);
}

/** Offers that were chosen by hand and could be confirmed to the last, and that nobody tried to confirm. */
function lostChoices(evidence: Evidence, order: SimulatedOrder): string[] {
  const { plan, acts, items } = evidence;
  // The bank closes an order before it is read again: what was decided after the first confirm may come too late.
  const mayComeTooLate = plan.closedAfter !== undefined || plan.furtherDecisions.length > 0;
  if (plan.choose !== 'manual' || !isFinal(evidence) || mayComeTooLate || wasInterrupted(evidence, order)) return [];
  const ledger = ledgerOf(evidence);
  const decision =
    recordOf(evidence)?.decision ?? (items.find(({ item }) => item === 'decision') as KeptDecision | undefined);
  const isWithdrawn = (offerId: string) =>
    decision?.choices.some((choice) => choice.offerId === offerId && choice.withdrawn);
  const isAvailable = (offerId: string) =>
    order.offers.some((offer) => offer.offerId === offerId && offer.status === 'AVAILABLE');
  const chosen = new Map(acts.chosenLast.map((choice) => [choice.offerId, choice]));
  return [...chosen.values()]
    .filter(({ offerId }) => isAvailable(offerId) && !isWithdrawn(offerId) && !ledger.has(confirmName(offerId)))
    .map(({ offerId }) => `the choice of ${offerId} was lost: nobody tried to confirm it`);
}

/** A confirm whose outcome nobody will find out: a final order is not read again, nor retried. The simulator's last read says it of each. */
function openConfirms(evidence: Evidence): string[] {
  if (!isFinal(evidence)) return [];
  const open = [...ledgerOf(evidence)].filter(
    ([name, { knowledge }]) => name.startsWith('confirm#') && knowledge.state === 'open',
  );
  return open.map(([name]) => `it is over, and nobody knows what became of ${name}`);
}

function isFinal(evidence: Evidence): boolean {
  return recordOf(evidence)?.waitingFor === 'nobody';
}

/** Uploads and accepts that the ledger has as done, beyond those that the service has carried out. */
function missingEffects(evidence: Evidence, order: SimulatedOrder): string[] {
  const done = [...ledgerOf(evidence)]
    .filter(([, { knowledge }]) => knowledge.state === 'done')
    .map(([name]) => effectOf(name));
  const ours = countBy(done.filter((effect) => effect !== undefined));
  const theirs = countBy(effectsAt(order));
  return [...ours].flatMap(([effect, times]) => {
    const carriedOut = theirs.get(effect) ?? 0;
    return carriedOut < times
      ? [`${effect}: done ${times} times by our record, ${carriedOut} times at the service`]
      : [];
  });
}

/** Operations of one kind on one thing, whatever their round and version: the service does not tell these apart. */
function effectOf(name: string): string | undefined {
  const [, position] = /^upload-document#\d+#(\d+)@/.exec(name) ?? [];
  if (position !== undefined) return `upload of document-${position}`;
  const [, fileId] = /^upload-signature#\d+#(.+)@/.exec(name) ?? [];
  if (fileId !== undefined) return `upload of the signature of ${fileId}`;
  const [, kind] = /^accept-(documents|signatures)#/.exec(name) ?? [];
  return kind && `accept of ${kind}`;
}

function effectsAt({ uploadedDocuments, signatures, progress }: SimulatedOrder): string[] {
  // A status that was left was accepted.
  const left = progress.history.slice(0, -1).map(({ status }) => status);
  return [
    ...uploadedDocuments.map(({ sourceEntityId }) => `upload of ${sourceEntityId}`),
    ...signatures.map(({ fileId }) => `upload of the signature of ${fileId}`),
    ...left.filter((status) => status === 'WAITING_FOR_DOCUMENTS').map(() => 'accept of documents'),
    ...left.filter((status) => status === 'WAITING_FOR_SIGNATURE').map(() => 'accept of signatures'),
  ];
}

function countBy(names: readonly string[]): Map<string, number> {
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}
