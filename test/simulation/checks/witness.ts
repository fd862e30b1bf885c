import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Choice, KeptDecision } from '../../../functions/shared/order/choices.ts';
import type { Change } from '../../../local/aws/index.ts';
import type { SimulatedOrder } from '../../../simulator/index.ts';

/** A signature in intake, from when on it was the current version. Virtual milliseconds. */
export interface SignatureVersion {
  sha256: string;
  at: number;
}

interface Seen {
  decision?: KeptDecision;
  /** Files to sign, in the order of their positions. */
  fileIds: readonly string[];
  /** The last decision in intake, and whether our record has had it. */
  current?: { choices: readonly Choice[]; wasRecorded: boolean };
  /** Offers whose confirm was begun. */
  begun: Set<string>;
  /** Runs of the ledger that were looked at: each writes its intent once. */
  runs: Set<string>;
  /** By run: an intent that goes by no decision in force. It is wrong unless the run takes it back before it sends anything. */
  wrong: Map<string, string[]>;
  problems: string[];
}

type Item = Record<string, AttributeValue>;

/** Watches what our record says at the moments that count: what came later would hide it. */
export class Witness {
  readonly #orders = new Map<string, Seen>();

  problems(orderRef: string): readonly string[] {
    const seen = this.#seen(orderRef);
    const problems = seen.problems.concat(...seen.wrong.values());
    return isTakenBack(seen) ? [...problems, 'an older decision stands where a newer one stood'] : problems;
  }

  /** The partner has put a decision into intake. */
  decided(orderRef: string, choices: readonly Choice[]): void {
    this.#seen(orderRef).current = { choices, wasRecorded: false };
  }

  readonly onChange = (change: Change): void => {
    if (change.type !== 'item') return;
    const item = change.item as unknown as Item;
    const orderRef = item.orderRef?.S;
    const name = item.item?.S;
    if (orderRef === undefined || name === undefined) return;
    if (name === 'order') this.#record(this.#seen(orderRef), item);
    else if (name.startsWith('operation#confirm#')) this.#intend(this.#seen(orderRef), name.slice(18), item);
  };

  /** An upload of the signature at this position has ended well: the service must have one that was current while it ran. */
  signatureSent(
    order: SimulatedOrder,
    { orderRef, position }: { orderRef: string; position: number },
    versions: ReadonlyMap<string, readonly SignatureVersion[]>,
    begun: number,
  ): void {
    const seen = this.#seen(orderRef);
    const fileId = seen.fileIds[position] ?? '';
    const sent = order.signatures.findLast((signature) => signature.fileId === fileId);
    const current = currentSince(versions.get(fileId) ?? [], begun);
    if (sent && current.length > 0 && !current.includes(sent.file.sha256)) {
      seen.problems.push(`the signature of ${fileId} was replaced before it was sent, and the old one was left there`);
    }
  }

  #record(seen: Seen, { decision, signaturesRound }: Item): void {
    if (signaturesRound)
      seen.fileIds = (unmarshall({ signaturesRound }).signaturesRound as { fileIds: string[] }).fileIds;
    if (!decision || Number(decision.M?.version?.N) === seen.decision?.version) return;
    seen.decision = unmarshall({ decision }).decision as KeptDecision;
    if (seen.current && reflects(seen.decision, seen.current.choices, seen.begun)) seen.current.wasRecorded = true;
  }

  /** What is sent is what the record has decided at the moment the intent is written. */
  #intend(seen: Seen, offerId: string, item: Item): void {
    const run = item.run?.S;
    if (run !== undefined && item.failure?.S === 'ChangedMind') takeBack(seen, offerId, run);
    const isOpen = item.outcome === undefined && ['intended', 'open'].includes(item.state?.S ?? '');
    if (!isOpen || run === undefined || seen.runs.has(run)) return;
    seen.runs.add(run);
    const code = item.intent?.M?.code?.S;
    const kept = seen.decision?.choices.find((choice) => choice.offerId === offerId);
    // What was begun is finished, whatever is decided later.
    const isNew = !seen.begun.has(offerId);
    seen.begun.add(offerId);
    const said = kept ? (kept.withdrawn ? 'withdrawn' : kept.code) : 'nothing';
    const wrong: string[] = [];
    if (isNew && said !== code) {
      wrong.push(`the intent to confirm ${offerId} with ${code} was written while the decision said ${said}`);
    }
    if (isNew && isTakenBack(seen)) wrong.push(`the intent to confirm ${offerId} goes by an older decision`);
    if (wrong.length > 0) seen.wrong.set(run, wrong);
  }

  #seen(orderRef: string): Seen {
    const known = this.#orders.get(orderRef);
    if (known) return known;
    const seen: Seen = { fileIds: [], begun: new Set(), runs: new Set(), wrong: new Map(), problems: [] };
    this.#orders.set(orderRef, seen);
    return seen;
  }
}

/** The run saw that the decision is another one by now: nothing was sent, and nothing is begun. */
function takeBack(seen: Seen, offerId: string, run: string): void {
  if (seen.wrong.delete(run)) seen.begun.delete(offerId);
}

function isTakenBack({ decision, current, begun }: Seen): boolean {
  return current?.wasRecorded === true && decision !== undefined && !reflects(decision, current.choices, begun);
}

/** Whether the record says what the partner decided. What was begun stays, whatever is decided later. */
function reflects({ choices }: KeptDecision, wanted: readonly Choice[], begun: ReadonlySet<string>): boolean {
  const isKept = ({ offerId, code }: Choice) =>
    begun.has(offerId) || choices.some((kept) => kept.offerId === offerId && kept.code === code && !kept.withdrawn);
  const isLeftOut = ({ offerId }: Choice) => !wanted.some((choice) => choice.offerId === offerId);
  return (
    wanted.every(isKept) && choices.filter(isLeftOut).every(({ offerId, withdrawn }) => withdrawn || begun.has(offerId))
  );
}

/** SHA-256 of the versions that were current at some moment since then. */
export function currentSince(versions: readonly SignatureVersion[], since: number): string[] {
  return versions
    .filter((_version, position) => (versions[position + 1]?.at ?? Number.POSITIVE_INFINITY) >= since)
    .map(({ sha256 }) => sha256);
}
