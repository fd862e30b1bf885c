import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Change } from '@business-loan-orders/embedded-aws';
import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { Choice, KeptDecision } from '../../../core/package/kept-decision.ts';
import { isCarriedOut } from './effects.ts';

/** A version of a signature in intake. `at` is when it was uploaded, in virtual milliseconds. */
export interface SignatureVersion {
  sha256: string;
  at: number;
}

/** Why an execution failed, as the record says. */
export interface Failure {
  error: string;
  cause: string;
  /** When the execution ended. */
  at: string;
}

/** What our record said during the run. Later changes hide it. */
export interface RecordHistory {
  failures: Failure[];
  /** Offers whose confirm had not begun when an execution failed over another confirm that was refused. */
  untried: string[];
  /** When our record first said that the order is CLOSED, in virtual milliseconds. */
  closedAt?: number;
}

export interface SeenOperation {
  state: string | undefined;
  failure: string | undefined;
  httpStatus?: string | undefined;
}

interface Seen extends RecordHistory {
  decision?: KeptDecision;
  /** Files to sign, in the order of their positions. */
  fileIds: readonly string[];
  /** The last decision in intake, and whether our record has ever contained it. */
  current?: { choices: readonly Choice[]; wasRecorded: boolean };
  /** Offers whose confirm has begun. */
  begun: Set<string>;
  operations: Map<string, SeenOperation>;
  /** Statuses in our record since an accept was last begun. */
  statuses: Set<string>;
  /** Attempts already checked. Each writes its intent once. */
  attempts: Set<string>;
  /** Problems by attempt: its intent does not match the decision. They count unless the attempt withdraws the intent before it sends anything. */
  wrong: Map<string, string[]>;
  problems: string[];
}

type Item = Record<string, AttributeValue>;

type StoredItem = { orderRef: string; item: string } & Record<string, unknown>;

const CONFIRM = 'operation#confirm#';

/** Watches our record during the run, because later changes would hide some problems. */
export class Witness {
  readonly #orders = new Map<string, Seen>();
  readonly #orderAt: (orderRef: string) => SimulatedOrder | undefined;
  /** Called when the record says for the first time that an execution has failed. */
  onFailure?: (orderRef: string) => void;

  constructor(orderAt: (orderRef: string) => SimulatedOrder | undefined) {
    this.#orderAt = orderAt;
  }

  problems(orderRef: string): readonly string[] {
    const seen = this.#seen(orderRef);
    const problems = seen.problems.concat(...seen.wrong.values());
    return isReplaced(seen) ? [...problems, 'an older decision has replaced a newer one'] : problems;
  }

  history(orderRef: string): RecordHistory {
    return this.#seen(orderRef);
  }

  operations(orderRef: string): ReadonlyMap<string, SeenOperation> {
    return this.#seen(orderRef).operations;
  }

  note(orderRef: string, problem: string): void {
    this.#seen(orderRef).problems.push(problem);
  }

  decided(orderRef: string, choices: readonly Choice[]): void {
    this.#seen(orderRef).current = { choices, wasRecorded: false };
  }

  /** Called before the table goes back to these items, which hold less than was seen. */
  restored(items: readonly StoredItem[]): void {
    const records = Map.groupBy(items, ({ orderRef }) => orderRef);
    for (const [orderRef, seen] of this.#orders) {
      const record = records.get(orderRef) ?? [];
      const decision = record.find(({ item }) => item === 'order')?.decision;
      if (decision) seen.decision = decision as KeptDecision;
      else delete seen.decision;
      const names = record.map(({ item }) => item).filter((item) => item.startsWith(CONFIRM));
      seen.begun = new Set(names.map((name) => name.slice(CONFIRM.length)));
      seen.wrong.clear();
      if (seen.current) seen.current.wasRecorded = false;
    }
  }

  readonly onChange = (change: Change): void => {
    if (change.type !== 'item') return;
    const item = change.item as unknown as Item;
    const orderRef = item.orderRef?.S;
    const name = item.item?.S;
    if (orderRef === undefined || name === undefined) return;
    const seen = this.#seen(orderRef);
    const [, operation] = name.split(/^operation#/);
    const state = item.state?.S;
    if (operation)
      seen.operations.set(operation, { state, failure: item.failure?.S, httpStatus: item.call?.M?.httpStatus?.N });
    if (operation?.startsWith('accept-') && state === 'open') seen.statuses.clear();
    const order = state === 'none' && this.#orderAt(orderRef);
    if (operation && order && isCarriedOut(operation, order, seen.statuses))
      seen.problems.push(`people hear that ${operation} was not done, but it was`);
    if (name === 'order') this.#record(orderRef, seen, item);
    else if (name.startsWith(CONFIRM)) this.#intend(seen, name.slice(CONFIRM.length), item);
  };

  /** Called when a signature was uploaded to the service. The service must have a version that was current during the upload. */
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
    if (sent && current.length > 0 && !current.includes(sent.file.sha256))
      seen.problems.push(`the signature of ${fileId} was replaced before it was sent, but the service has the old one`);
  }

  #record(orderRef: string, seen: Seen, { decision, rounds, failure, status, changedAt }: Item): void {
    if (failure?.M && fail(seen, unmarshall(failure.M) as Failure)) this.onFailure?.(orderRef);
    if (status?.S !== undefined) seen.statuses.add(status.S);
    if (status?.S === 'CLOSED') seen.closedAt ??= Date.parse(changedAt?.S ?? '');
    if (rounds?.M?.signatures) seen.fileIds = (unmarshall(rounds.M).signatures as { fileIds: string[] }).fileIds;
    if (!decision || Number(decision.M?.version?.N) === seen.decision?.version) return;
    seen.decision = unmarshall({ decision }).decision as KeptDecision;
    if (seen.current && reflects(seen.decision, seen.current.choices, seen.begun)) seen.current.wasRecorded = true;
  }

  /** Checks that an intent matches the decision in the record at the moment when it is written. */
  #intend(seen: Seen, offerId: string, item: Item): void {
    const attempt = item.attemptId?.S;
    if (attempt !== undefined && item.failure?.S === 'NotSent') withdrawIntent(seen, offerId, attempt);
    const isOpen = item.outcome === undefined && item.state?.S === 'open';
    if (!isOpen || attempt === undefined || seen.attempts.has(attempt)) return;
    seen.attempts.add(attempt);
    const code = item.intent?.M?.code?.S;
    const kept = seen.decision?.choices.find((choice) => choice.offerId === offerId);
    // A confirm that has begun is finished even if the decision changes.
    const isNew = !seen.begun.has(offerId);
    seen.begun.add(offerId);
    const said = kept ? (kept.withdrawn ? 'withdrawn' : kept.code) : 'nothing';
    const wrong: string[] = [];
    if (isNew && said !== code)
      wrong.push(`the intent to confirm ${offerId} with ${code} was written while the decision said ${said}`);
    if (isNew && isReplaced(seen)) wrong.push(`the intent to confirm ${offerId} follows an older decision`);
    if (wrong.length > 0) seen.wrong.set(attempt, wrong);
  }

  #seen(orderRef: string): Seen {
    const nothing = {
      begun: new Set<string>(),
      attempts: new Set<string>(),
      wrong: new Map(),
      operations: new Map(),
      statuses: new Set<string>(),
    };
    const seen = this.#orders.get(orderRef) ?? { ...nothing, fileIds: [], problems: [], failures: [], untried: [] };
    this.#orders.set(orderRef, seen);
    return seen;
  }
}

/** Returns whether the failure is new: later writes repeat it, beside newer decisions. A refused confirm must not stop the others. */
function fail(seen: Seen, failure: Failure): boolean {
  if (seen.failures.at(-1)?.at === failure.at) return false;
  seen.failures.push(failure);
  if (!/^(Rejected|OutcomeUnknown)$/.test(failure.error) || seen.begun.size === 0) return true;
  const choices = (seen.decision?.choices ?? []).filter(({ withdrawn }) => !withdrawn);
  seen.untried.push(...choices.map(({ offerId }) => offerId).filter((offerId) => !seen.begun.has(offerId)));
  return true;
}

/** The attempt found a changed decision and sent nothing, so its confirm has not begun. */
function withdrawIntent(seen: Seen, offerId: string, attempt: string): void {
  if (seen.wrong.delete(attempt)) seen.begun.delete(offerId);
}

function isReplaced({ decision, current, begun }: Seen): boolean {
  return current?.wasRecorded === true && decision !== undefined && !reflects(decision, current.choices, begun);
}

/** Whether the record contains the partner's decision. Confirms that have begun stay in it in any case. */
function reflects({ choices }: KeptDecision, wanted: readonly Choice[], begun: ReadonlySet<string>): boolean {
  const isKept = ({ offerId, code }: Choice) =>
    begun.has(offerId) || choices.some((kept) => kept.offerId === offerId && kept.code === code && !kept.withdrawn);
  const isLeftOut = ({ offerId }: Choice) => !wanted.some((choice) => choice.offerId === offerId);
  return (
    wanted.every(isKept) && choices.filter(isLeftOut).every(({ offerId, withdrawn }) => withdrawn || begun.has(offerId))
  );
}

/** The SHA-256 of every version that was current at or after this time. */
export function currentSince(versions: readonly SignatureVersion[], since: number): string[] {
  return versions
    .filter((_version, position) => (versions[position + 1]?.at ?? Number.POSITIVE_INFINITY) >= since)
    .map(({ sha256 }) => sha256);
}
