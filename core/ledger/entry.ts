import type { RecordTable } from '../aws/record-table.ts';
import { type CallContext, type LoggedFacts, loggable, type OrderError, OutcomeUnknown } from '../errors.ts';
import { type Knowledge, OPEN, type State } from './knowledge.ts';

/** The ledger's entry for one operation: the item `operation#<name>` in the subject's record. */
export interface LedgerEntry {
  item: string;
  knowledge: Knowledge;
  attempts: number;
  /** ID of the last attempt: each run of a step has its own. Its first request has the same. */
  attemptId: string;
  intendedAt: string;
  /** What is known about the last attempt's call. */
  call: LoggedFacts;
  /** The content of the last attempt that may have succeeded, if attempts may send different content. */
  intent?: Record<string, unknown>;
  /** As the last attempt sent it. */
  idempotency?: CallContext['idempotency'];
  /** When the outcome became known. */
  endedAt?: string;
  /** The name of the last attempt's error. Absent while that attempt may be running. */
  failure?: string;
  /** The generation of the subject that began the last attempt. The previous release does not record it. */
  generation?: number | undefined;
  /** When a believed read showed that the last attempt did nothing. */
  settledAt?: string;
  /** When an operator recorded the outcome. */
  resolvedAt?: string;
  /** For a refused attempt of unknown outcome: about when reads will show the outcome. */
  finalAbout?: string | undefined;
  /** The generation in which a step failed with the refusal. Only a later retry by a person sends the call again. */
  refusedIn?: number | undefined;
}

/** How the failure of a step names an operation that the service refused. */
export const refusedWords = (operation: string) => `the service refused the ${operation}`;

/** How the failure of a repeated upload says that it was refused. */
export const REPEAT_REFUSED = 'an earlier attempt may have succeeded';

export type StoredEntry = Omit<LedgerEntry, 'knowledge'> & StoredKnowledge;

export function readEntry<Stored extends StoredEntry>(item: Stored) {
  const { state, outcome, ...entry } = item;
  return { ...entry, knowledge: isDoubted(item) ? OPEN : knowledgeIn(item) };
}

/** The previous release believed more answers. What it recorded as `unlikely` may have been done, except a creation after its first 429. */
function isDoubted({ item, state, generation, attempts, call }: StoredEntry): boolean {
  const isFirst429 = attempts === 1 && call.httpStatus === 429;
  const isBelieved = item === 'operation#create' && (generation !== undefined || isFirst429);
  return state === 'unlikely' && !isBelieved;
}

export type EntryTable = Pick<RecordTable, 'getItem' | 'putItem' | 'updateItem'>;

export interface EntryAddress {
  table: EntryTable;
  key: { item: string };
}

/** One run of a step, which begins an attempt of the operation. */
export interface Attempt extends EntryAddress {
  attemptId: string;
  generation?: number | undefined;
  context: CallContext & { attempt: number };
}

/**
 * Records the first attempt before its call. If there was an earlier attempt, writes nothing and returns its entry. If the
 * answer to the write was lost, the SDK repeats the write; `attemptId` then shows that the entry is this attempt's own.
 */
export async function begin(attempt: Attempt): Promise<LedgerEntry | undefined> {
  if (await attempt.table.putItem(openItem(attempt), 'attribute_not_exists(attempts)')) return undefined;
  const entry = await findEntry(attempt);
  return entry?.attemptId === attempt.attemptId ? undefined : entry;
}

/** Returns the outcome if it was recorded meanwhile. @throws OutcomeUnknown if another run has begun an attempt meanwhile. */
export async function beginAgain(attempt: Attempt, earlier: LedgerEntry): Promise<Record<string, unknown> | undefined> {
  const { attemptId, context, table } = attempt;
  const values = { ':earlier': earlier.attempts, ':attempt': attemptId };
  const condition = 'attribute_not_exists(outcome) AND (attempts = :earlier OR attemptId = :attempt)';
  if (await table.putItem(openItem(attempt), condition, values)) return undefined;
  const entry = await findEntry(attempt);
  if (entry?.knowledge.state === 'done') return entry.knowledge.outcome;
  throw new OutcomeUnknown(
    `${context.subject}: another run of the same step began ${earlier.item} at the same time. This run sent nothing.`,
  );
}

function openItem({ key, attemptId, generation, context }: Attempt) {
  const { attempt: attempts, intent, idempotency } = context;
  const begun = { ...storedKnowledge(OPEN), attemptId, attempts, generation, intendedAt: new Date().toISOString() };
  return { ...key, ...begun, call: loggable(context), intent, idempotency };
}

export async function findEntry({ table, key }: EntryAddress): Promise<LedgerEntry | undefined> {
  const item = await table.getItem<StoredEntry>(key);
  return item && readEntry(item);
}

/**
 * Any run may write this, because an outcome never changes.
 * @param context of the call, if its answer showed the outcome. It has the ID of the request that was answered.
 */
export async function recordOutcome(
  { table, key }: EntryAddress,
  outcome: Record<string, unknown>,
  context?: CallContext,
): Promise<void> {
  const call = context && { call: loggable(context) };
  await table.updateItem(
    key,
    { ...storedKnowledge({ state: 'done', outcome }), ...call, endedAt: new Date().toISOString(), failure: undefined },
    'attribute_exists(attempts)',
  );
}

/** Records that the subject's execution fails with the refusal of an earlier attempt. */
export async function recordVerdict({ table, key, generation }: Attempt, { attempts }: LedgerEntry): Promise<void> {
  const isSame = 'attempts = :attempts AND attribute_not_exists(outcome)';
  await table.updateItem(key, { refusedIn: generation }, isSame, { ':attempts': attempts });
}

/** A late success overrides this. */
export async function recordNothingDone({ table, key }: EntryAddress): Promise<void> {
  const now = new Date().toISOString();
  await table.updateItem(
    key,
    { ...storedKnowledge({ state: 'none' }), endedAt: now, settledAt: now },
    'attribute_exists(attempts) AND attribute_not_exists(outcome)',
  );
}

/** Records what a failed attempt showed. A late function must not overwrite a later attempt or a recorded outcome. */
export async function recordFailure(
  { table, key, attemptId, context }: Attempt,
  {
    knowledge,
    intent,
    finalAbout,
    refusedIn,
  }: Omit<Partial<LedgerEntry>, 'knowledge'> & Pick<LedgerEntry, 'knowledge'>,
  { name: failure, call }: Pick<OrderError, 'name'> & Partial<Pick<OrderError, 'call'>>,
): Promise<void> {
  await table.updateItem(
    key,
    {
      ...storedKnowledge(knowledge),
      ...(knowledge.state !== 'open' && { endedAt: new Date().toISOString() }),
      failure,
      call: loggable({ ...context, ...call }),
      finalAbout,
      refusedIn,
      ...(intent && { intent }),
    },
    'attemptId = :attempt AND attribute_not_exists(outcome)',
    { ':attempt': attemptId },
  );
}

/** {@link Knowledge} as attributes of the entry's item. */
export interface StoredKnowledge {
  state: State;
  outcome?: Record<string, unknown>;
}

export function storedKnowledge(knowledge: Knowledge): StoredKnowledge {
  const { state } = knowledge;
  return state === 'done' ? { state, outcome: knowledge.outcome } : { state };
}

export function knowledgeIn({ state, outcome = {} }: StoredKnowledge): Knowledge {
  return state === 'done' ? { state, outcome } : { state };
}
