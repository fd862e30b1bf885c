import * as errors from '../../../core/errors.ts';
import type { StoredEntry } from '../../../core/ledger/entry.ts';
import { type EntryTable, readEntry, recordNothingDone, recordOutcome } from '../../../core/ledger/entry.ts';
import { FinalRefusal, performOperation } from '../../../core/ledger/perform-operation.ts';
import { merge, openPositions } from '../../../core/offers/decision.ts';
import {
  type Decision,
  holdsOthers,
  joinStates,
  mayBeConfirmed,
  stateOf,
} from '../../../core/order/decision-states.ts';
import { acceptName, confirmName } from '../../../core/order/operation-names.ts';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { READS_PER_EXECUTION } from '../../../core/order/work-size.ts';
import type { Order } from '../../../core/order-service/order-service-client.ts';
import { isQuiet } from '../../../core/reading/changes.ts';
import { decide } from '../../../core/reading/decide.ts';
import type { ReadOrderInput, ReadOrderOutput } from '../../../core/reading/output.ts';
import type { ReadingRules } from '../../../core/reading/rules.ts';
import { ERRORS, meaningOf, NOT_CREATED } from '../../../core/service/what-answers-prove.ts';

export interface Scenario {
  asks: { kind: 'documents' | 'signatures'; file: string }[];
  /** The offers that the desk takes, and what it takes instead at any time later: `XB` is offer X with the code B. */
  takes: string[];
  takesInstead?: string[];
  /** How the service shows a confirmed offer, and the others after the first confirm. `absent`: they are not listed. */
  confirmedAs?: string;
  othersAs?: string;
  /** The stage says that the service remembers the keys of what it did. What it does remember. */
  remembers?: 'successes' | 'nothing';
  isCreated?: true;
  /** There is no IN_WORK between two asks. The service refuses second copies. */
  isDirect?: true;
  refusesCopies?: true;
  /** Which failures occur (default: all). One that follows the work although the stage declares that it does not. */
  failures?: string[];
  untrue?: string;
  /** For how many reads a call may be under way, or a read be stale. How many faults and retries there are. */
  lateReads: number;
  staleReads: number;
  faults: number;
  retries: number;
}

/** A call that changes something. `ask`: what the read showed that led to it. `target`: the file, or the offer. */
type Call = { what: keyof typeof UNKNOWN; name: string; ask: number; target: string } & Partial<Sent>;
type Sent = { code: string; later: true; key: string };
type Service = typeof SERVICE;
type Entries = { [item: string]: StoredEntry };

export type State = ReturnType<typeof startOf>;
export type Move = [what: string, after: State];

/** The clock stands still. When time passes, recorded times move back. Reads come every 10 seconds. */
const NOW = Date.parse('2026-03-02T10:00:00.000Z');
const RULES: ReadingRules = {
  ...{ minimumSeconds: 5, defaultSeconds: 10, longSeconds: 86_400, pollGrowth: 0 },
  ...{ repeatsLimit: 2, settlingSeconds: 30, unusableReadsLimit: 5 },
  ...{ bankAt: undefined, expiresAt: undefined, signaturesDays: 14, decisionDays: 14, confirmedStatus: 'CONFIRMED' },
};
const UNKNOWN = { create: 'never', upload: 'again', accept: 'look', confirm: 'look' } as const;
const NONE: string[] = [];
const SERVICE = { orders: 0, keys: NONE, status: 'none', ask: 0, files: NONE, confirmed: {} as Record<string, string> };
const CREATE: Call = { what: 'create', name: 'create', ask: 0, target: '' };

const answered = (status: number, asksToWait = false): errors.OrderError =>
  new ERRORS[meaningOf(status, { kind: 'accept' }, asksToWait)]('No.', { call: { httpStatus: status } });
const lost = new errors.OutcomeUnknown('Lost.');
/** How a call fails for us, and the calls that it never follows if they were carried out (docs/assumptions.md). */
const FAILURES: { [name: string]: [error: errors.OrderError, isBeforeTheWorkOf?: string] } = {
  'no connection': [new errors.ServiceUnavailable('Nothing was sent.'), 'create upload accept confirm'],
  '401': [answered(401), 'create upload accept confirm'],
  '400': [answered(400), 'create upload'],
  '409': [answered(409), 'upload'],
  '429': [answered(429), 'create'],
  '503 with Retry-After': [answered(503, true), 'create'],
  '503': [answered(503)],
  'an odd 2xx': [answered(200)],
  'no answer': [lost],
  'killed, and the step runs again': [lost],
  'killed, and the sweep goes on': [lost],
};

export function startOf(scenario: Scenario) {
  const { isCreated } = scenario;
  const record = {
    ...{ orderRef: 'o', generation: 1, retriedIn: 1, status: 'RECEIVED', documents: [{}], notBefore: {} },
    ...{ waitingFor: 'service', decision: { choices: [], none: false, version: 0 }, orderId: isCreated && 'id' },
  } as unknown as OrderItem;
  const service = { ...SERVICE };
  if (isCreated) Object.assign(service, { orders: 1, status: 'IN_WORK' });
  return {
    ...{ scenario, service },
    /** Calls that are still under way, and what a stale read shows: the order before its last change. */
    late: [] as { call: Call; reads: number }[],
    past: null as { shown: Service; reads: number } | null,
    ...{ record, entries: {} as Entries, cursor: newCursor(record) },
    /** The calls of our step; without any, what we wait for: `read`, `over`, or why a person must act. */
    calls: isCreated ? [] : [CREATE],
    at: 'read',
    /** The refusals after which a person retried. The offer that the desk gave up as not confirmed. */
    ...{ seen: [] as string[], stoppedBy: '', givenUp: '', faults: 0, retries: 0, broken: '' },
  };
}

function newCursor({ orderRef, generation }: OrderItem): ReadOrderInput {
  return { orderRef, generation, reads: 0, repeats: 0, nextReadAt: '', known: {} };
}

/** The next execution, begun by the sweep, by a handover, or by a person. It does not know what the last one knew. */
function next(state: State, isRetry = false): State {
  const generation = state.record.generation + 1;
  const record = { ...state.record, generation, ...(isRetry && { retriedIn: generation }) };
  const begun = { cursor: newCursor(record), calls: record.orderId ? [] : [CREATE], at: 'read', stoppedBy: '' };
  return { ...state, record, ...begun };
}

export async function movesFrom(state: State): Promise<Move[]> {
  const after = moved(state);
  const again = decidedAgain(state);
  const late = state.late.map(({ call }, index): Move => {
    const others = state.late.filter((_, position) => position !== index);
    return [`only now ${call.name} is carried out`, carriedOut({ ...state, late: others }, call)];
  });
  const moves: Move[] = after ? [[`the service is ${after.service.status}`, after], ...late] : late;
  if (again) moves.push([`the desk takes ${state.scenario.takesInstead}`, again]);
  return [...moves, ...(await stepsFrom(state))];
}

/** What can happen on our side. The first is what happens without a fault. */
export async function stepsFrom(before: State): Promise<Move[]> {
  const state = withDueCalls(before);
  if (state.calls.length > 0) return callsFrom(state);
  if (state.at === 'read') return readsFrom(state);
  return state.at !== 'over' && state.retries < state.scenario.retries ? [byPerson(state)] : [];
}

const statusAt = ({ asks, takes }: Scenario, ask: number) => {
  const kind = asks[ask]?.kind;
  if (!kind) return takes.length > 0 ? 'OFFERS_AVAILABLE' : 'CLOSED';
  return kind === 'documents' ? 'WAITING_FOR_DOCUMENTS' : 'WAITING_FOR_SIGNATURE';
};

export function moved(state: State): State | undefined {
  const { status, ask } = state.service;
  if (status === 'IN_WORK') return served(state, { status: statusAt(state.scenario, ask) });
  return status === 'OFFERS_APPROVED' ? served(state, { status: 'CLOSED' }) : undefined;
}

function served(state: State, changes: Partial<Service>, broken: string | false = ''): State {
  const shown = state.service;
  const service = { ...shown, ...changes };
  const isChanged = shown.orders > 0 && !changes.files?.length;
  return { ...state, service, past: isChanged ? { shown, reads: 0 } : state.past, broken: broken || state.broken };
}

/** Whether the service carries the call out: any accept while it waits, any confirm until it is CLOSED. */
function takes({ service, scenario }: State, { what, target, key = '' }: Call): boolean {
  const { orders, status, files, keys } = service;
  if (keys.includes(key)) return true;
  const isCopy = scenario.refusesCopies && (what === 'create' ? orders > 0 : what === 'upload' && has(files, target));
  if (what === 'create') return !isCopy;
  return what === 'confirm' ? status.startsWith('OFFERS_') : status.startsWith('WAITING_') && !isCopy;
}

const has = (files: string[], target: string) => files.some((name) => name.endsWith(`#${target}`));

function carriedOut(state: State, call: Call): State {
  const { orders, ask, files, confirmed, keys } = state.service;
  const { what, name, target, code = '', key = '' } = call;
  if (!takes(state, call) || keys.includes(key)) return state;
  if (what === 'create') {
    const remembered = state.scenario.remembers === 'successes' ? [...keys, key] : keys;
    return served(state, { orders: orders + 1, keys: remembered, status: 'IN_WORK' }, orders > 0 && 'created twice');
  }
  if (what === 'upload') return served(state, { files: [...new Set([...files, name])].sort() });
  if (what === 'accept') {
    const broken = call.ask !== ask ? 'an accept is taken for the next one' : 'accepted without the file';
    const status = state.scenario.isDirect ? statusAt(state.scenario, ask + 1) : 'IN_WORK';
    return served(state, { status, ask: ask + 1, files: [] }, !(call.ask === ask && has(files, target)) && broken);
  }
  const codes = (confirmed[target] ?? '') + code;
  const isGivenUp = state.givenUp === target && 'an offer is confirmed after the desk was told that it is not';
  const broken = codes.length > 1 ? 'an offer is confirmed twice' : isGivenUp;
  return served(state, { status: 'OFFERS_APPROVED', confirmed: { ...confirmed, [target]: codes } }, broken);
}

function orderIn({ status, ask, confirmed }: Service, scenario: Scenario): Order {
  const { asks, confirmedAs = 'CONFIRMED', othersAs = 'AVAILABLE' } = scenario;
  const isAny = Object.keys(confirmed).length > 0;
  const shown = (offerId: string) => (confirmed[offerId] ? confirmedAs : isAny ? othersAs : 'AVAILABLE');
  const offers = ['X', 'Y'].map((offerId) => ({ offerId, status: shown(offerId) }));
  const listed = [...offers, { offerId: 'Z', status: 'DECLINED' }].filter((offer) => offer.status !== 'absent');
  const documents = status === 'WAITING_FOR_SIGNATURE' ? [{ fileId: asks[ask]?.file }] : [];
  const isOffered = /^(OFFERS_|CLOSED)/.test(status);
  return { status, pollAfterSeconds: 10, documents, ...(isOffered && { offers: listed }) } as Order;
}

/** The ledger's table. One run at a time writes it, so that only these parts of its conditions can be false. */
function tableOf(entries: Entries) {
  const write = async (item: string, entry: object, condition = '') => {
    const absent = [...condition.matchAll(/attribute_not_exists\((\w+)\)/g)].map(([, name = '']) => name);
    if (absent.some((name) => entries[item]?.[name as keyof StoredEntry] !== undefined)) return false;
    entries = { ...entries, [item]: kept(entry as StoredEntry, entries[item]) };
    return true;
  };
  const table = {
    getItem: async ({ item }: StoredEntry) => entries[item],
    putItem: (entry: StoredEntry, condition?: string) => write(entry.item, entry, condition),
    updateItem: ({ item }: StoredEntry, changes: object, condition?: string) =>
      write(item, { ...entries[item], ...changes }, condition),
  };
  return { table: table as unknown as EntryTable, now: () => entries };
}

/** The parts of an entry by which anything is decided. Keys are numbered, so that states are the same in each run. */
function kept({ idempotency, ...entry }: StoredEntry, before: StoredEntry | undefined): StoredEntry {
  const { item, state, outcome, failure, refusedIn, intent, call } = entry;
  const last = before?.idempotency?.key ?? item;
  const key = idempotency?.key === last ? last : `${last}'`;
  const isOdd = call.httpStatus === 200 && { call: { httpStatus: 200 } };
  const isRefused = failure === 'Rejected' && { failure, call: { httpStatus: call.httpStatus } };
  const same = {
    item,
    state,
    attempts: 1,
    attemptId: '',
    generation: 1,
    intendedAt: '',
    call: {},
    ...isOdd,
    ...isRefused,
  };
  if (idempotency) Object.assign(same, { idempotency: { ...idempotency, key, until: '9999' } });
  return { ...same, ...(outcome && { outcome }), ...(refusedIn && { refusedIn }), ...(intent && { intent }) };
}

function decisionIn({ record: { decision }, entries }: State): Decision {
  return { ...decision, choices: joinStates(decision.choices, Object.values(entries).map(readEntry)) };
}

const told = (state: State) =>
  decisionIn(state).choices.map((known) => ({ ...known.choice, is: stateOf(known, state.record.status) }));

/** Without the confirms whose choice was withdrawn, or waits for one before it in the same Map (`confirm-offer`). */
function withDueCalls(state: State): State {
  const { choices } = decisionIn(state);
  const isHeld = state.record.status === 'OFFERS_AVAILABLE' && choices.some(holdsOthers);
  const calls = state.calls.flatMap((call) => {
    if (call.what !== 'confirm') return [call];
    const { withdrawn, code } = choices.find(({ choice }) => choice.offerId === call.target)?.choice ?? {
      withdrawn: true,
    };
    return withdrawn || (call.later && isHeld) ? [] : [{ ...call, code }];
  });
  return { ...state, calls };
}

function decided(state: State, takes: string[]): State {
  const choices = takes.map(([offerId = '', code = 'A']) => ({ offerId, code }));
  const version = state.record.decision.version + 1;
  const decision = { choices: merge(decisionIn(state).choices, choices), none: false, version };
  return { ...state, record: { ...state.record, decision } };
}

function decidedAgain(state: State): State | undefined {
  const { takesInstead } = state.scenario;
  if (!takesInstead || state.record.decision.version !== 1 || state.at !== 'read') return undefined;
  const after = decided(state, takesInstead);
  const isGivenUp = (offerId: string) => told(after).some((one) => one.offerId === offerId && one.withdrawn);
  const givenUp = told(state).find(({ offerId, is }) => isGivenUp(offerId) && !mayBeConfirmed(is))?.offerId ?? '';
  const broken = state.service.confirmed[givenUp] ? 'the desk is told that a confirmed offer is not' : '';
  return { ...after, givenUp, broken };
}

async function readsFrom(before: State): Promise<Move[]> {
  const state = waited(before);
  const endings = ['carried out', 'hands over', 'killed before the record'];
  const moves: Move[] = [];
  for (const ending of state.faults < state.scenario.faults ? endings : ['carried out'])
    for (const shown of state.past ? [state.service, state.past.shown] : [state.service]) {
      const after = await read(state, shown, ending);
      const faults = state.faults + Number(ending !== 'carried out');
      const what = `a ${shown === state.service ? '' : 'STALE '}read shows ${shown.status}, ${ending}`;
      if (!ending.startsWith('killed') || after.entries !== state.entries) moves.push([what, { ...after, faults }]);
    }
  return moves;
}

function waited(state: State): State {
  const earlier = (since: string) => new Date(Date.parse(since) - 10_000).toISOString();
  const { record, cursor, past, scenario } = state;
  const [{ repeats }, { repeatedSince: since }] = [record, cursor.known];
  const late = state.late.map(({ call, reads }) => ({ call, reads: reads + 1 }));
  return {
    ...state,
    late: late.filter(({ reads }) => reads <= scenario.lateReads),
    past: past && past.reads < scenario.staleReads ? { ...past, reads: past.reads + 1 } : null,
    record: repeats ? { ...record, repeats: { ...repeats, since: earlier(repeats.since) } } : record,
    cursor: since ? { ...cursor, known: { ...cursor.known, repeatedSince: earlier(since) } } : cursor,
  };
}

async function read(state: State, shown: Service, ending: string): Promise<State> {
  const { record, cursor, entries } = state;
  const acceptOf = (kind: 'documents' | 'signatures') =>
    entries[`operation#${acceptName(kind, record.rounds?.[kind]?.number ?? 0)}`]?.state ?? 'none';
  const accepts = { documents: acceptOf('documents'), signatures: acceptOf('signatures') };
  const order = orderIn(shown, state.scenario);
  const isFull = ending === 'hands over' && cursor.reads > 0;
  const given = { record, cursor: isFull ? { ...cursor, reads: READS_PER_EXECUTION - 1 } : cursor };
  const answer = { is: 'read', order, sha256: JSON.stringify(order) } as const;
  const full = { accepts, ...(record.decision.version > 0 && { decision: decisionIn(state) }) };
  const ledger = isQuiet(given, answer, RULES, NOW) ? { accepts: {}, isQuiet: true as const } : full;
  const plan = decide({ ...given, ledger }, answer, RULES, NOW);
  const { table, now } = tableOf(entries);
  for (const { name, outcome } of plan.settled ?? []) {
    const address = { table, key: { item: `operation#${name}` } };
    await (outcome ? recordOutcome(address, outcome) : recordNothingDone(address));
  }
  if (ending === 'killed before the record') return next({ ...state, entries: now() });
  const { repeats, nextReadAt, known, todo } = plan.output;
  const changed = { ...record, repeats: undefined, ...plan.record?.changes } as OrderItem;
  const recorded = { entries: now(), record: plan.record || record.repeats ? changed : record };
  const after = { ...state, ...recorded, cursor: { ...cursor, reads: 1, repeats, nextReadAt, known } };
  if (plan.failure) return { ...after, at: plan.failure.message };
  if (todo === 'continue') return next(after);
  return shown.status === 'CLOSED' ? { ...after, at: 'over' } : withCalls(after, plan.output, shown);
}

/** As the state machine goes on after a read. The desk decides at once. */
function withCalls(state: State, { todo, round }: ReadOrderOutput, { status, ask, ...shown }: Service): State {
  if (todo === 'wait') return state;
  if (status.startsWith('WAITING_')) {
    const { kind = 'documents', file: target = '' } = state.scenario.asks[ask] ?? {};
    const upload: Call = { what: 'upload', name: `upload#${round}#${target}`, ask, target };
    return { ...state, calls: [upload, { what: 'accept', name: acceptName(kind, round), ask, target }] };
  }
  const after = todo === 'act' ? decided(state, state.scenario.takes) : state;
  const decision = decisionIn(after);
  const { offers = [] } = orderIn({ status, ask, ...shown }, state.scenario);
  const calls = openPositions(decision, offers).map((position, index): Call => {
    const target = decision.choices[position]?.choice.offerId ?? '';
    return { what: 'confirm', name: confirmName(target), ask, target, ...(index > 0 && { later: true as const }) };
  });
  return { ...after, calls };
}

/** What the record says although it is not so: that a file or an order is not there, or, at the end, of an offer. */
export function wrongIn(state: State): string {
  const { confirmed, files, orders } = state.service;
  const isThere = (name: string) => (name === 'create' ? orders > 0 : files.includes(name));
  const lies = Object.values(state.entries).filter((entry) => entry.state === 'none' && isThere(entry.item.slice(10)));
  if (lies[0]) return `the record says that ${lies[0].item} was not done`;
  const isWrong = ({ offerId, code, is }: ReturnType<typeof told>[number]) =>
    is === 'confirmed' ? confirmed[offerId] !== code : confirmed[offerId] !== undefined && !mayBeConfirmed(is);
  return state.at === 'over' && told(state).some(isWrong) ? 'the record is wrong about an offer' : '';
}

async function callsFrom(state: State): Promise<Move[]> {
  const [planned = CREATE] = state.calls;
  const { scenario, late } = state;
  const done = await attempt(state, planned);
  const call = { ...planned, ...done.key };
  const faults = state.faults + 1;
  const failures = scenario.failures ?? Object.keys(FAILURES);
  if (!done.isSent) {
    const killed: Move[] = faults > scenario.faults ? [] : [['killed', next({ ...done.after, faults })]];
    return [[`${call.name} is not sent`, done.after], ...killed];
  }
  const isTaken = takes(state, call);
  const [refusal] = FAILURES[call.what === 'create' ? '400' : '409'] ?? [];
  const right = isTaken ? done : await attempt(state, call, refusal);
  const sent = (after: State) => ({ ...after, broken: state.broken || unfit(state, call) });
  const moves: Move[] = [[`${call.name}: ${isTaken ? 'done' : 'refused'}`, carriedOut(sent(right.after), call)]];
  for (const name of faults > scenario.faults ? [] : failures) {
    const [error = lost, isBeforeTheWorkOf = ''] = FAILURES[name] ?? [];
    const { after, killed } = await attempt(state, call, error);
    const failed = sent({ ...(name.startsWith('killed') ? killed : after), faults });
    const ours = name === 'killed, and the sweep goes on' ? next(failed) : failed;
    moves.push([`${call.name}: NOT done, ${name}`, ours]);
    if (isBeforeTheWorkOf.includes(call.what) && name !== scenario.untrue) continue;
    if (isTaken) moves.push([`${call.name}: DONE, ${name}`, carriedOut(ours, call)]);
    const underWay = { ...ours, late: [...late, { call, reads: 0 }] };
    if (scenario.lateReads > 0 && late.length < 2) moves.push([`${call.name}: under way, ${name}`, underWay]);
  }
  return moves;
}

function unfit({ entries, service, seen }: State, { what, name, code }: Call): string {
  const { state, failure, intent } = entries[`operation#${name}`] ?? {};
  if (UNKNOWN[what] === 'look' && state === 'none' && failure && intent?.code === code && !seen.includes(name))
    return 'a refused call is sent again, and nobody was told of the refusal';
  const isOther = (offerId: string) => confirmName(offerId) !== name && !service.confirmed[offerId];
  const others = ['X', 'Y'].filter(isOther).map((offerId) => entries[`operation#${confirmName(offerId)}`]);
  const isHeld = what === 'confirm' && service.status === 'OFFERS_AVAILABLE';
  const isUnknown = (other?: StoredEntry) => other?.state === 'open' && !other.failure && !other.call.httpStatus;
  if (!isHeld || !others.some(isUnknown)) return '';
  return 'the bank may close the order without an offer of unknown outcome';
}

/** Makes a call through the ledger. `killed`: our side if the function is killed at the call. */
async function attempt(state: State, call: Call, failure?: errors.OrderError) {
  const { table, now } = tableOf(state.entries);
  const { generation, retriedIn } = state.record;
  const intent = call.what === 'confirm' ? { offerId: call.target, code: call.code } : undefined;
  let atCall: Entries | undefined;
  const error = await performOperation({
    subject: {
      ...{ name: 'Order o', table, key: {}, generation, retriedIn, findOut: '', withPatience: (made) => made() },
      ...{ refuseWhileThrottled: () => undefined, addToTimeline: async () => undefined },
      ...(state.scenario.remembers && { idempotency: { header: 'key', rememberedHours: 72 } }),
      provesNotDone: (operation, status) => operation === 'create' && NOT_CREATED.includes(status),
    },
    ...{ name: call.name, unknown: UNKNOWN[call.what], ...(intent && { intent }) },
    call: async () => {
      atCall = now();
      if (failure) throw failure;
      return intent ?? { orderId: 'id' };
    },
  }).catch((thrown: Error) => thrown);
  const after = afterCall({ ...state, entries: now() }, call, error);
  const { idempotency } = atCall?.[`operation#${call.name}`] ?? {};
  const key = idempotency && { key: idempotency.key };
  return { after, killed: { ...state, entries: atCall ?? now() }, isSent: atCall !== undefined, key };
}

/** As the state machine goes on after a call. One that is neither answered nor unknown is tried again. */
function afterCall(state: State, { what, name }: Call, error: unknown): State {
  const isUnknown = error instanceof errors.OutcomeUnknown || error instanceof errors.UnexpectedResponse;
  const isAnswered = !(error instanceof Error) || error instanceof errors.Rejected;
  if (!isAnswered && (!isUnknown || what === 'upload')) return state;
  const isForReads = what === 'confirm' || (what === 'accept' && isUnknown);
  if (error instanceof FinalRefusal || (error instanceof Error && !isForReads))
    return { ...state, calls: [], at: `${what} ${isUnknown ? 'unknown' : 'refused'}`, stoppedBy: name };
  const record = what === 'create' ? { ...state.record, orderId: 'id' } : state.record;
  return { ...state, record, calls: state.calls.slice(1), cursor: { ...state.cursor, known: {} } };
}

/** Nothing is under way by now. A person finds out whether the order exists, or sends what was refused once more. */
function byPerson(before: State): Move {
  const state = { ...before, late: [], retries: before.retries + 1, seen: [...before.seen, before.stoppedBy] };
  if (state.at !== 'create unknown') return ['a person retries', next(state, true)];
  const { 'operation#create': _, ...entries } = state.entries;
  const record = { ...state.record, ...(state.service.orders > 0 && { orderId: 'id' }) };
  return ['a person finds out whether the order exists', next({ ...state, entries, record }, true)];
}
