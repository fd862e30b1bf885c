import { describe, expect, test } from 'vitest';
import { Throttled, UnexpectedResponse } from '../../../../core/errors.ts';
import type { State } from '../../../../core/ledger/knowledge.ts';
import type { KnownChoice } from '../../../../core/order/decision-states.ts';
import type { OrderItem, Round, RoundKind } from '../../../../core/order/order-item.ts';
import type { StagePause } from '../../../../core/order/stage-pause.ts';
import { MAX_DOCUMENTS_TO_SIGN } from '../../../../core/order/work-size.ts';
import type { Order } from '../../../../core/order-service/order-service-client.ts';
import { UNDECIDED } from '../../../../core/package/kept-decision.ts';
import { isQuiet } from '../../../../core/reading/changes.ts';
import type { Cursor } from '../../../../core/reading/cursor.ts';
import { decide } from '../../../../core/reading/decide.ts';
import type { Answer, Plan } from '../../../../core/reading/plan.ts';
import type { ReadingRules } from '../../../../core/reading/rules.ts';
import { reasonNotToRead } from '../../../../core/reading/without-read.ts';

const NOW = Date.parse('2026-03-02T10:00:00.000Z');
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();
const [HOUR, DAY] = [3_600, 86_400];
const rules: ReadingRules = {
  ...{ minimumSeconds: 5, defaultSeconds: 30, longSeconds: DAY, pollGrowth: 0.05 },
  ...{ repeatsLimit: 3, settlingSeconds: 60, unusableReadsLimit: 5 },
  ...{ bankAt: undefined, expiresAt: undefined, signaturesDays: 14, decisionDays: 14, confirmedStatus: 'CONFIRMED' },
};

interface Known extends Partial<Omit<OrderItem, 'repeats'>> {
  accepts?: { [Kind in RoundKind]?: State };
  chosen?: { [offerId: string]: Confirm };
  withdrawn?: string;
  /** Reads in a row of a status that was already handled; those that the last generation passed on. */
  repeats?: keyof typeof REPEATS;
  passedOn?: OrderItem['repeats'];
  reads?: number;
  waitedUntil?: string;
  memory?: Cursor['known'];
  pause?: StagePause;
}
/** `open B`: it was sent with the code B. `doubted`: it was refused, and reads find out. `refused`: that is final. */
type Confirm = 'not-begun' | 'none' | 'open' | 'open B' | 'doubted' | 'refused' | 'done';
/** What the service answers; null if it must not be asked. */
type Answered = Order | Extract<Answer, { error: unknown }> | null;
type Row = [what: string, answered: Answered, known: Known, plan: string];

const LAST = at(-1);
/** How many, and since how many seconds. */
const REPEATS = { few: [2, -HOUR], 'too fast': [9, -59], enough: [3, -60] } as const;

function choiceOf(offerId: string, state: Confirm, isWithdrawn: boolean): KnownChoice {
  const choice = { offerId, code: 'A', ...(isWithdrawn && { withdrawn: true as const }) };
  const refused = { refused: { httpStatus: 409 } };
  if (state === 'refused') return { choice, confirm: 'none', ...refused };
  if (state === 'not-begun' || state === 'none' || state === 'done') return { choice, confirm: state };
  const unsure = { offerId, code: state === 'open B' ? 'B' : 'A' };
  return { choice, confirm: 'open', unsure, ...(state === 'doubted' && refused) };
}

function planFor(answered: Answered, { accepts = {}, chosen, withdrawn, passedOn, pause, ...known }: Known): Plan {
  const { reads = 5, repeats, waitedUntil = LAST, memory = {}, ...changes } = known;
  const choices = Object.entries(chosen ?? {}).map(([id, state]) => choiceOf(id, state, id === withdrawn));
  const decision = chosen && { choices, none: choices.length === 0, version: 1 };
  const record = {
    ...{ orderRef: 'ref-1', orderId: 'id', generation: 2, status: 'IN_WORK', waitingFor: 'service' },
    ...{ createdAt: at(-DAY), documents: [{}, {}], pollAfterSeconds: 30, notBefore: { readAt: LAST } },
    ...{ decision: decision ?? UNDECIDED, ...changes, ...(passedOn && { repeats: passedOn }) },
  } as OrderItem;
  const [counted, since] = repeats ? REPEATS[repeats] : [0];
  const place = { orderRef: 'ref-1', generation: 2, reads, repeats: counted, nextReadAt: waitedUntil };
  const cursor = { ...place, known: { ...(since && { repeatedSince: at(since) }), ...memory } };
  const unread = reasonNotToRead({ record, cursor }, pause, NOW);
  if (answered === null ? !unread : unread) throw new Error(`The service is ${unread ? 'not ' : ''}asked.`);
  const read = answered && 'status' in answered ? { is: 'read' as const, order: answered, sha256: 'new' } : answered;
  const isSame = read?.is === 'read' && isQuiet({ record, cursor }, read, rules, NOW);
  const ledger = isSame ? { accepts: {}, isQuiet: true as const } : { accepts, ...(decision && { decision }) };
  return decide({ record, cursor, ledger }, (read ?? unread) as Answer, rules, NOW);
}

const seconds = (time: string) => (Date.parse(time) - NOW) / 1000;

const roundText = (kind: string, { number, asked, fileIds, left }: Round) =>
  `${[kind, number, ...fileIds].join(' ')} (${asked.times}${left ? ', left' : ''})`;

function stepOf({ output: { todo, repeats, toConfirm }, record, settled = [], failure }: Plan): string {
  const positions = todo === 'confirm' ? toConfirm.map(({ position }) => ` ${position}`) : [];
  const step = `${todo}${positions.join('')}${repeats > 0 ? ` ×${repeats}` : ''}`;
  const rounds = Object.entries(record?.changes.rounds ?? {}).map(([kind, round]) => roundText(kind, round));
  const outcomes = settled.map(({ name, outcome }) => `${name} ${outcome ? 'done' : 'not done'}`);
  const fails = failure ? [failure.message.replace(/^Order ref-1:? (the order service )?/, 'fails: ')] : [];
  return [step, ...rounds, ...outcomes, ...fails].join(', ');
}

function waitOf({ output, record, postpone, failure }: Plan): string {
  const readAt = record?.changes.notBefore?.readAt ?? postpone;
  const recorded = readAt === undefined ? [] : [`recorded ${seconds(readAt)}`];
  const until = output.nextReadAt === '' ? 'a look' : seconds(output.nextReadAt);
  const wait = `${output.todo} ${output.pollAfterSeconds} until ${until}`;
  return [wait, ...recorded, ...(failure ? ['fails'] : [])].join(', ');
}

function peopleOf({ output: { todo, waitSeconds }, forget, record }: Plan): string {
  const { waitingFor } = record?.changes ?? {};
  return `${todo} ${waitSeconds / HOUR} h${forget ? ` again (${forget})` : ''}${waitingFor ? ` for ${waitingFor}` : ''}`;
}

function table({ say = stepOf, ...common }: Known & { say?: (plan: Plan) => string }, rows: Row[]): void {
  test.each(rows)('%s', (_what, answered, known, expected) => {
    const said = say(planFor(answered, { ...common, ...known }));
    expect(said.slice(0, expected.endsWith('…') ? expected.length - 1 : undefined)).toBe(expected.replace('…', ''));
  });
}

const order = (status: string, more: Partial<Order> = {}) => ({ status, pollAfterSeconds: 30, ...more }) as Order;
const toSign = (...fileIds: string[]) =>
  order('WAITING_FOR_SIGNATURE', { documents: fileIds.map((fileId) => ({ fileId })) });
const offers = (status: string, statuses: { [offerId: string]: string } = { o: 'AVAILABLE', p: 'AVAILABLE' }) =>
  order(status, { offers: Object.entries(statuses).map(([offerId, is]) => ({ offerId, status: is })) });
const [IN_WORK, DOCUMENTS] = [order('IN_WORK'), order('WAITING_FOR_DOCUMENTS')];
const [AVAILABLE, APPROVED, CLOSED] = [offers('OFFERS_AVAILABLE'), offers('OFFERS_APPROVED'), offers('CLOSED')];
const round = (more: Partial<Round> = {}) => ({ number: 1, fileIds: [], asked: { times: 1, generation: 1 }, ...more });
const atOffers = { status: 'OFFERS_AVAILABLE' };
const MARKED = { moveTo: { release: 'new', generation: 2, at: LAST } };
const signing = { status: 'WAITING_FOR_SIGNATURE', rounds: { signatures: round({ fileIds: ['a'] }) } };
const quiet = { snapshotSha256: 'new', memory: { decision: 0 } };
const signed = { ...signing, accepts: { signatures: 'done' as const } };
const lost = { ...signing, accepts: { signatures: 'open' as const } };
/** Rows for a round of documents and for one of signatures, which the order is in. `accept` is that of the round. */
type RoundRow = [what: string, known: Known & { accept?: State; round?: Partial<Round> }, plan: string, read?: Order];

function roundTable(rows: RoundRow[]): void {
  describe.each(['documents', 'signatures'] as const)('a round of %s', (kind) => {
    const [same, fileIds] = kind === 'documents' ? [DOCUMENTS, []] : [toSign('a'), ['a']];
    const words = (text: string) =>
      text.replace(/round (\d)/, [kind, '$1', ...fileIds].join(' ')).replace('accept', `accept-${kind}#1`);
    const rowOf = ([what, { accept = 'none', round: one, ...known }, plan, read = same]: RoundRow): Row => {
      const inRound = { status: same.status, rounds: { [kind]: round({ fileIds, ...one }) } };
      return [what, read, { ...inRound, accepts: { [kind]: accept }, ...known }, words(plan)];
    };
    table({}, rows.map(rowOf));
  });
}

describe('at most once: a lost accept or confirm is not sent again while the service may have done it', () => {
  roundTable([
    ['begins', { rounds: {} }, 'act, round 1 (1)'],
    ['is resumed', {}, 'act, round 1 (1)'],
    ['waits after a lost accept', { accept: 'open' }, 'wait ×1'],
    ['waits after its accept', { accept: 'done', repeats: 'few' }, 'wait ×3'],
    ['was accepted after all', { accept: 'open' }, 'wait, accept done', IN_WORK],
    ['was accepted by somebody else', { accept: 'none' }, 'wait', IN_WORK],
    ['was accepted', { accept: 'done' }, 'wait', IN_WORK],
  ]);
  const both = { o: 'CONFIRMED', p: 'AVAILABLE' };
  const late = { chosen: { o: 'open', p: 'none' }, withdrawn: 'o' } as const;
  const taken = { o: 'TAKEN', p: 'AVAILABLE' };
  const someGone = offers('OFFERS_AVAILABLE', { o: 'EXPIRED', p: 'AVAILABLE' });
  const other = { chosen: { o: 'done', p: 'open' } } as const;
  const gone = { chosen: { o: 'open', p: 'done' } } as const;
  const approvedWith = (statuses: Parameters<typeof offers>[1]) => offers('OFFERS_APPROVED', statuses);
  table(atOffers, [
    ['an offer that is gone is not confirmed', someGone, { chosen: { o: 'not-begun', p: 'not-begun' } }, 'confirm 1'],
    ['another choice waits for it', AVAILABLE, { chosen: { o: 'open', p: 'none' } }, 'wait ×1'],
    ['not for a refused one', AVAILABLE, { chosen: { o: 'doubted', p: 'none' } }, 'confirm 1'],
    ['nor after an approval', APPROVED, { chosen: { o: 'open', p: 'none' } }, 'confirm 1, confirm#o done'],
    ['a refused confirm waits', AVAILABLE, { chosen: { o: 'doubted' } }, 'wait ×1'],
    ['a lost confirm waits', AVAILABLE, { chosen: { o: 'open', p: 'done' } }, 'wait ×1'],
    ['a lost confirm with another code', AVAILABLE, { chosen: { o: 'open B' } }, 'wait ×1'],
    ['approval proves the only confirm', APPROVED, { chosen: { o: 'open B' } }, 'wait, confirm#o done'],
    ['but not one of several', APPROVED, { chosen: { o: 'open', p: 'done' } }, 'wait'],
    ['an offer proves it', offers('CLOSED', both), { chosen: { o: 'open' } }, 'act, confirm#o done'],
    ['also if it was withdrawn too late', offers('OFFERS_APPROVED', both), late, 'confirm 1, confirm#o done'],
    ['an AVAILABLE offer alone proves nothing', CLOSED, { chosen: { o: 'open' } }, 'act'],
    ['beside a confirmed one it disproves it', offers('CLOSED', both), other, 'act, confirm#p not done'],
    ['so it does beside a chosen one that is gone', offers('CLOSED', taken), other, 'act, confirm#p not done'],
    ['but not beside any other', offers('CLOSED', { p: 'AVAILABLE', q: 'DECLINED' }), other, 'act'],
    ['another one proves nothing', offers('CLOSED', { o: 'TAKEN' }), { chosen: { o: 'open' } }, 'act'],
    ['nor does an earlier status', offers('OFFERS_AVAILABLE', both), { chosen: { o: 'open' } }, 'wait ×1'],
    ['nor approval with two lost confirms', APPROVED, { chosen: { o: 'open', p: 'open' } }, 'wait'],
    ['approval and an offer that is gone prove it', approvedWith({ o: 'EXPIRED' }), gone, 'wait, confirm#o done'],
    ['not if the other one is shown as confirmed', approvedWith({ o: 'EXPIRED', p: 'CONFIRMED' }), gone, 'wait'],
    ['not if it is not listed', approvedWith({ p: 'AVAILABLE' }), gone, 'wait'],
  ]);
  test('the timeline and the ledger show what was found', () => {
    const { lines, settled } = planFor(APPROVED, { ...lost, chosen: { o: 'open B' } });
    const outcome = { offerId: 'o', code: 'B' };
    expect(settled?.map((one) => one.outcome)).toEqual([outcome, { round: 1 }]);
    expect(lines).toContainEqual({ what: 'Found an offer confirmed', facts: outcome });
    expect(lines).toContainEqual({ what: 'Found signatures accepted', facts: { round: 1 } });
    const unknown = { what: 'Closed with confirms of unknown outcome: ask the bank', facts: { confirms: 1 } };
    expect(planFor(offers('CLOSED', {}), { chosen: { o: 'open' } }).lines).toContainEqual(unknown);
    const others = { what: 'The service has confirmed offers that the record does not know', facts: { offers: 1 } };
    expect(planFor(offers('CLOSED', both), { chosen: { p: 'none' } }).lines).toContainEqual(others);
    expect(planFor(offers('CLOSED', both), { chosen: { o: 'done' } }).lines).not.toContainEqual(others);
  });
});

describe('believed reads: a status that was already handled counts after several reads over a settling time', () => {
  const repeats = 'enough';
  const thrice = { accept: 'done', round: { number: 5, asked: { times: 3, generation: 1 } }, repeats } as const;
  roundTable([
    ['is sent again after a lost accept', { accept: 'open', repeats }, 'act, round 1 (1), accept not done'],
    ['is requested again', { accept: 'done', repeats }, 'act, round 2 (2)'],
    ['is read too fast', { accept: 'open', repeats: 'too fast' }, 'wait ×10'],
    ['is requested too often', thrice, 'wait ×3, fails: was asked 3 times for …'],
    ['is requested too often before a retry', { ...thrice, retriedIn: 2 }, 'act, round 6 (1)'],
    ...(['none', 'open', 'done'] as const).flatMap((accept): RoundRow[] => [
      [`ends (${accept})`, { accept, status: 'IN_WORK', repeats }, 'wait ×1, round 1 (1, left)'],
      [`has ended (${accept})`, { accept, round: { left: true } }, 'wait ×1'],
    ]),
    ['has ended and is requested again', { round: { left: true }, repeats }, 'act, round 2 (2)'],
    ['the same after a loss', { accept: 'open', round: { left: true }, repeats }, 'act, round 2 (2), accept done'],
  ]);
  const confirmed = { chosen: { o: 'done' } } as const;
  const other = { chosen: { o: 'done', p: 'open' } } as const;
  const approved = { ...other, status: 'OFFERS_APPROVED', repeats } as const;
  const both = { o: 'CONFIRMED', p: 'AVAILABLE' };
  table(atOffers, [
    ['a lost confirm', AVAILABLE, { chosen: { o: 'open' }, repeats }, 'confirm 0, confirm#o not done'],
    ['a refused confirm', AVAILABLE, { chosen: { o: 'doubted' }, repeats }, 'confirm 0, confirm#o not done'],
    ['refused confirms come last', AVAILABLE, { chosen: { o: 'refused', p: 'none' }, repeats }, 'confirm 1 0'],
    ['approval beside a confirmed offer', offers('OFFERS_APPROVED', both), approved, 'confirm 1, confirm#p not done'],
    ['approval that says nothing', APPROVED, approved, 'wait'],
    ['withdrawn', AVAILABLE, { chosen: { o: 'open' }, withdrawn: 'o', repeats }, 'act, confirm#o not done'],
    ['offers after a confirm, once', AVAILABLE, confirmed, 'wait ×1'],
    ['one that a restored record does not know', offers('OFFERS_AVAILABLE', both), {}, 'wait ×1'],
    ['offers after a confirm', AVAILABLE, { ...confirmed, repeats }, 'wait ×3, fails: is still OFFERS_AVAILABLE …'],
    ['offers after a confirm and another status', AVAILABLE, { ...confirmed, status: 'X', repeats }, 'wait ×1'],
    ['approval after a confirm', APPROVED, confirmed, 'wait'],
  ]);
  const full = { ...lost, repeats: 'few', reads: 199 } as const;
  const counted = (reads: number, generation: number) => ({ reads, since: at(-HOUR), generation });
  const again = 'act, signatures 1 a (1), accept-signatures#1 not done';
  table({}, [
    ['of the last execution count', toSign('a'), { ...lost, reads: 0, passedOn: counted(3, 1) }, again],
    ['of another one do not', toSign('a'), { ...lost, reads: 0, passedOn: counted(3, 2) }, 'wait ×1'],
    ['count if nothing is new', toSign('a'), { ...lost, repeats, ...quiet }, again],
  ]);
  test('are passed on to the next execution, also if nothing was read', () => {
    expect(planFor(toSign('a'), full).record?.changes.repeats).toEqual(counted(3, 2));
    expect(planFor(null, { ...full, ...MARKED }).record?.changes).toEqual({ repeats: counted(2, 2) });
  });
});

describe('signing cannot be skipped: what the service asks for is signed, and offers without our signatures are shown', () => {
  const many = Array.from({ length: MAX_DOCUMENTS_TO_SIGN + 1 }, (_, index) => `${index}`);
  const second = { number: 2, fileIds: ['b'], earlier: ['a'] };
  const inSecond = { ...signing, rounds: { signatures: round(second) } };
  const inOrder = { ...signed, rounds: { signatures: round({ fileIds: ['a', 'b'] }) } };
  table({}, [
    ['other files in an interrupted round', toSign('b'), signing, 'act, signatures 1 b (1)'],
    ['other files after the accept', toSign('b'), signed, 'act, signatures 2 b (1)'],
    ['other files after a lost accept', toSign('b'), lost, 'act, signatures 2 b (1), accept-signatures#1 done'],
    ['other files after another status', toSign('b'), { ...signing, status: 'IN_WORK' }, 'act, signatures 2 b (1)'],
    ['files of an earlier round, which may be stale', toSign('a'), inSecond, 'wait ×1'],
    ['the same after the accept', toSign('a'), { ...inSecond, accepts: signed.accepts }, 'wait ×1'],
    ['the same, believed', toSign('a'), { ...inSecond, repeats: 'enough' }, 'act, signatures 2 a (1)'],
    ['the same files in another order', toSign('b', 'a'), inOrder, 'wait ×1'],
    ['as many as fit', toSign(...many.slice(1)), { reads: 0 }, 'act, signatures 1 1 2 3…'],
    ['too many', toSign(...many), {}, 'wait, fails: lists 101 documents to sign. At most 100 …'],
  ]);
  const say = ({ lines = [], record }: Plan) => {
    const line = lines.find(({ what }) => what.endsWith('without signatures'));
    return `${record?.changes.unsigned ?? 'signed'}${line ? `, ${line.what}, asked: ${line.facts?.asked}` : ''}`;
  };
  table({ say }, [
    ['offers without a round', AVAILABLE, {}, 'true, Reached its offers without signatures, asked: no'],
    ['offers without an accept', AVAILABLE, signing, 'true, Reached its offers without signatures, asked: yes'],
    ['no read of the offers', CLOSED, signing, 'true, Closed without signatures, asked: yes'],
    ['offers after the accept', AVAILABLE, signed, 'signed'],
    ['offers after a lost accept', AVAILABLE, lost, 'signed'],
    ['later offers', APPROVED, { ...signing, ...atOffers }, 'signed'],
  ]);
});

describe('never read before nextReadAt: the service says when, and whoever reads next obeys', () => {
  const until = (backOffUntil: string) => ({ since: LAST, generation: 2, backOffUntil });
  const later = { notBefore: { readAt: at(9_000), throttled: until(LAST) } };
  const throttled = { notBefore: { readAt: LAST, throttled: until(at(9_000)) } };
  const odd = { is: 'unusable' as const, error: new UnexpectedResponse('', { call: { pollAfterSeconds: 600 } }) };
  const unusable = (reads: number, since: number) => ({ memory: { unusable: { reads, since: at(since) } } });
  const slowFor = (retryAfterSeconds: number) => ({
    ...{ is: 'throttled' as const, error: new Throttled('', { call: { retryAfterSeconds } }) },
  });
  const slow = slowFor(600);
  const noToken = (tokenWaitSeconds: number) => ({
    ...{ is: 'no token' as const, error: new Throttled('', { call: { tokenWaitSeconds } }) },
  });
  const held = { since: at(-DAY), by: '', reason: '', resumedAt: LAST, goOnSeconds: DAY };
  const over = { waitedUntil: at(9_000) };
  const atSigning = { ...signing, waitingFor: 'signatures' as const, memory: { waitedForPeople: true as const } };
  const early = { ...later, ...over, memory: { waitedForPeople: true as const } };
  table({ say: waitOf }, [
    ['another execution has read', null, later, 'wait 3600 until a look'],
    ['the last sleep of a wait', null, { notBefore: { readAt: at(3_600) }, waitedUntil: '' }, 'wait 3600 until 3600'],
    ['a step was turned away', null, throttled, 'wait 3600 until a look'],
    ['a creation was turned away', null, { ...throttled, orderId: undefined as never }, 'wait 3600 until a look'],
    ['this wait is over', IN_WORK, { ...later, ...over }, 'wait 30 until 32, recorded 32'],
    ['people have ended the wait', null, early, 'wait 3600 until a look'],
    ['a pause has ended', null, { pause: held }, 'wait …'],
    ['people are waited for during a pause', null, { pause: held, ...atSigning }, 'act 30 until -1'],
    ['there is no order', null, { orderId: undefined as never }, 'create 0 until -1'],
    ['429', slow, {}, 'wait 600 until 602, recorded 602'],
    ['429 with a long Retry-After', slowFor(9_000), {}, 'wait 3600 until a look, recorded 9002'],
    ['no token for long', noToken(9_000), {}, 'wait 3600 until a look'],
    ['no token for a moment', noToken(7), {}, 'wait 30 until -1'],
    ['429 with a short Retry-After', slow, { pollAfterSeconds: 900 }, 'wait 900 until 902, recorded 902'],
    ['an unusable answer', odd, {}, 'wait 600 until 602, recorded 602'],
    ['the last one', odd, unusable(4, -60), 'wait 600 until 602, recorded 602, fails'],
    ['too many within a moment', odd, unusable(9, -59), 'wait 600 until 602, recorded 602'],
    ['a lost accept, settling', toSign('a'), { ...lost, repeats: 'few' }, 'wait 900 until 32, recorded 32'],
    ['a failure', toSign(...Array(101).fill('a')), {}, 'wait 30 until 32, recorded 32, fails'],
    ['a round', DOCUMENTS, {}, 'act 30 until 32, recorded 32'],
    ['nothing new', IN_WORK, quiet, 'wait 30 until -1'],
    ['a long wait', order('IN_WORK', { pollAfterSeconds: 9e4 }), quiet, 'wait 3600 until a look, recorded 90002'],
    ['nothing new after a 429', IN_WORK, { ...throttled, ...quiet, ...over }, 'wait 30 until 32, recorded 32'],
    ['a day in a status', IN_WORK, { statusSince: at(-DAY) }, 'wait 4320 until 32, recorded 32'],
    ['a lost accept', toSign('a'), { ...lost, statusSince: at(-DAY) }, 'wait 30 until 32, recorded 32'],
  ]);
});

describe('a status that nobody knows is read again, and fails the order once it is believed', () => {
  const strangeOf = (status: string) => new UnexpectedResponse('odd.', { call: { unknownStatus: status } });
  const strange = { is: 'unusable' as const, error: strangeOf('NEW') };
  const seen = (status: string, since = -60, reads = 3) => ({
    memory: { strange: { status, reads, since: at(since) } },
  });
  table({}, [
    ['once', strange, {}, 'wait'],
    ['the same over the settling time', strange, seen('NEW'), 'wait, odd.'],
    ['the same within a moment', strange, seen('NEW', -59, 9), 'wait'],
    ['another one', strange, seen('OTHER'), 'wait'],
  ]);
  test('what is known of it is passed on to the next execution', () => {
    const plan = planFor(strange, { ...seen('NEW', -59), reads: 199 });
    const repeats = { status: 'NEW', reads: 4, since: at(-59), generation: 2 };
    expect([plan.output.todo, plan.record?.changes]).toEqual(['continue', { repeats }]);
    const passedOn = { ...repeats, since: at(-60), generation: 1 };
    expect(stepOf(planFor(strange, { reads: 0, passedOn }))).toBe('wait, odd.');
    expect(stepOf(planFor(toSign('a'), { ...lost, reads: 0, passedOn }))).toBe('wait ×1');
  });
});

describe('one generation drives an order: a marked or full one hands it over, and a late one takes nothing back', () => {
  table({}, [
    ['a marked order moves', null, MARKED, 'continue'],
    ['not with a mark for another generation', IN_WORK, { ...MARKED, generation: 3 }, 'wait'],
    ['not when it is closed', CLOSED, { ...MARKED, status: 'CLOSED' }, 'act'],
    ['an execution is full', IN_WORK, { reads: 199 }, 'continue'],
    ['the work does not fit', DOCUMENTS, { reads: 193 }, 'continue, documents 1 (1)'],
  ]);
  const ended = { failure: { error: '', cause: '', at: LAST }, waitingFor: 'operator' as const };
  table({ say: peopleOf }, [
    ['its end is recorded: an operator acts', DOCUMENTS, ended, 'act 0 h for operator'],
    ['its end is recorded, but the order is closed', CLOSED, ended, 'act 0 h for nobody'],
  ]);
});

describe('waits for people: they are asked once, until the deadline, and nobody is forgotten', () => {
  const since = at(3 * HOUR - 14 * DAY);
  const askedFor = (what: 'signatures' | 'decision') => ({ waitingFor: what, awaited: { what, round: 1, since } });
  const [forSignatures, forDecision] = [askedFor('signatures'), { ...atOffers, ...askedFor('decision') }];
  const early = { notBefore: { readAt: at(HOUR) }, memory: { waitedForPeople: true as const } };
  const paused = { pause: { since: at(-DAY), by: '', reason: '' }, memory: { waitedForPeople: true as const } };
  table({ say: peopleOf }, [
    ['signatures', toSign('a'), {}, 'act 6 h for service'],
    ['signatures again', toSign('a'), { ...signing, ...forSignatures }, 'act 3 h again (signatures) for signatures'],
    ['another round', toSign('b'), { ...signed, ...forSignatures }, 'act 6 h for service'],
    ['a decision', AVAILABLE, atOffers, 'act 6 h for service'],
    ['a decision again', AVAILABLE, forDecision, 'act 3 h again (decision) for decision'],
    ['a decision was made', AVAILABLE, { ...atOffers, chosen: {} }, 'wait 6 h for service'],
    ['no offer can be chosen', offers('OFFERS_AVAILABLE', { o: 'X' }), atOffers, 'wait 6 h for service'],
    ['it is too early to read', null, { ...forDecision, ...early }, 'act 1 h again (decision)'],
    ['the same, with signatures', null, { ...signing, ...forSignatures, ...early }, 'act 1 h again (signatures)'],
    ['the stage is paused', null, { ...forDecision, ...paused }, 'act 3 h again (decision)'],
  ]);
  test('another status ends it', () =>
    expect(planFor(APPROVED, forDecision).record?.changes).toHaveProperty('awaited', undefined));
});
