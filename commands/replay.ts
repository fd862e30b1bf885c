import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { listVersions } from '../core/aws/object-versions.ts';
import { readAnswer } from '../core/order-service/order-answer.ts';
import type { decide } from '../core/reading/decide.ts';
import { type KeptRead, MOST_BYTES, type PlanSummary, restore, summaryOf } from '../core/reading/kept-read.ts';
import type { Plan } from '../core/reading/plan.ts';
import { type AddCommand, ofOrders } from './shared/arguments.ts';
import { connect, type StageConnection } from './shared/connection.ts';
import { commandFailure } from './shared/failure.ts';
import type { OrderDetails } from './shared/order-details.ts';
import { duration } from './shared/order-filter.ts';
import { type PlaceOptions, place as placeName } from './shared/place.ts';
import { type CommandResult, plain, Refusal, some, time } from './shared/text.ts';

export const addReplay: AddCommand = (program, perform) => {
  const what = 'decide the reads of orders again, and show where this version decides otherwise';
  return ofOrders(program, 'replay', what, '[orderRef...]')
    .option('--all', 'every order that changed in the time --since')
    .option('--since <time>', 'with --all: such as 12h; by default 30d', duration)
    .action((orderRefs: string[] = [], { all, since }: { all?: true; since?: number }, self: Command) => {
      if (orderRefs.length > 0 === (all === true)) self.error('error: give orderRefs or --all');
      if (since !== undefined && !all) self.error('error: --since goes with --all');
      return perform((place) => replay(place, orderRefs, since ?? duration('30d')));
    });
};

const DIFFERS = 1;
const INCOMPLETE = 2;

const snapshotOf = (orderRef: string) => `orders/${orderRef}/snapshot.json`;

/** Decides the stored reads of orders again. Does not call the order service, and writes nothing. */
export async function replay(
  place: PlaceOptions,
  orderRefs: string[],
  since: number,
  given?: typeof decide,
): Promise<CommandResult> {
  const judge = given ?? (await import('../core/reading/decide.ts')).decide;
  const where = placeName(place);
  const connection = await orIncomplete(where, () => connect(place));
  const isNamed = orderRefs.length > 0;
  const chosen = isNamed ? orderRefs : await orIncomplete(where, () => changedWithin(connection, since));
  const open = (orderRef: string) => inStage(connection, place.stage, orderRef);
  return replayEach(new Set(chosen), open, { where, isNamed, judge });
}

async function changedWithin({ record }: StageConnection, milliseconds: number): Promise<string[]> {
  const from = new Date(Date.now() - milliseconds).toISOString();
  return (await record.changed(from)).map(({ orderRef }) => orderRef);
}

async function inStage({ record, buckets }: StageConnection, stage: string, orderRef: string): Promise<ReplayedOrder> {
  const details = await record.details(orderRef);
  const stored = await buckets();
  const key = snapshotOf(orderRef);
  const open = async (versionId: string) => {
    const version = await stored.openStaged(key, versionId);
    return version ? text(version) : '';
  };
  const { listVersions } = await import('../core/aws/object-versions.ts');
  const pages = listVersions({ client: stored.client, bucket: stored.staging, prefix: key });
  return { ...details, stage, answers: eachVersion(pages, open) };
}

async function* eachVersion(pages: ReturnType<typeof listVersions>, open: (versionId: string) => Promise<string>) {
  for await (const { Versions = [] } of pages)
    for (const { VersionId = '', Size = 0 } of Versions) if (Size <= MOST_BYTES) yield await open(VersionId);
}

/** Exit code 1 means that a read differs, so no other failure uses it. */
async function orIncomplete<Result>(where: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Refusal(commandFailure(error, where).sentence, INCOMPLETE);
  }
}

/** @param isNamed whether the user named these orders. Then one without stored reads is a problem. */
async function replayEach(
  orderRefs: Set<string>,
  open: (orderRef: string) => Promise<ReplayedOrder>,
  { where, isNamed, judge }: { where: string; isNamed: boolean; judge: typeof decide },
): Promise<CommandResult> {
  const differences: Difference[] = [];
  const problems: string[] = [];
  let [orders, reads] = [0, 0];
  for (const orderRef of orderRefs) {
    try {
      const replayed = await replayOrder(await open(orderRef), judge);
      orders += 1;
      reads += replayed.reads;
      differences.push(...replayed.differences);
      problems.push(...replayed.withoutAnswer.map(({ at }) => `${orderRef} ${time(at)}: the answer is missing`));
      if (isNamed && replayed.isEmpty)
        problems.push(`${orderRef} has no kept reads: none has changed it yet, or it was erased.`);
    } catch (error) {
      problems.push(plain(`${orderRef} was not replayed: ${commandFailure(error, where).sentence}`));
    }
  }
  const lines = differences.map(({ orderRef, at, status, done, would }) =>
    plain(`${orderRef} ${time(at)} ${status}: did ${done}; would ${would}`),
  );
  const sum = `${some(reads, 'read')} of ${some(orders, 'order')}: ${differences.length} differ`;
  return {
    lines: [...lines, ...problems, sum],
    json: { orders, reads, differences, problems },
    exitCode: differences.length > 0 ? DIFFERS : problems.length > 0 ? INCOMPLETE : 0,
  };
}

interface ReplayedOrder extends Pick<OrderDetails, 'order' | 'timeline' | 'reads'> {
  stage: string;
  answers: AsyncIterable<string>;
}

type ReadAt = KeptRead & { at: string };

/** Runs `decide` on the input of each stored read. Only one answer at a time is in memory. */
async function replayOrder({ timeline, reads, stage, answers }: ReplayedOrder, judge: typeof decide) {
  const { orderService } = (await import('../infra/stages.ts')).stageSettings(stage);
  const lines = timeline.flatMap(({ at, read }) => (typeof read === 'string' ? [{ at, read }] : []));
  const left = new Set([...lines, ...reads].map(({ at, read }) => readAt(at, read)));
  const count = left.size;
  const differences: Difference[] = [];
  for await (const text of answers) {
    const sha256 = createHash('sha256').update(text).digest('hex');
    for (const kept of [...left].filter((one) => one.sha256 === sha256)) {
      left.delete(kept);
      const answer = readAnswer(text, JSON.parse(text), orderService);
      const { at, plan, rules, ...view } = kept;
      const found = { orderRef: view.record.orderRef, at, status: answer.order.status };
      const would = outcomeOf(() => judge(view, { is: 'read', ...answer, sha256 }, rules, Date.parse(at)));
      if (typeof would === 'string') differences.push({ ...found, done: words(plan), would });
      else if (!isSame(would, plan)) differences.push({ ...found, done: words(plan), would: words(would) });
    }
  }
  differences.sort((one, other) => one.at.localeCompare(other.at));
  return { isEmpty: count === 0, reads: count - left.size, differences, withoutAnswer: [...left] };
}

function readAt(at: string, read: string): ReadAt {
  try {
    return { at, ...restore(read) };
  } catch {
    throw new Refusal(`what the record keeps of its read at ${time(at)} is damaged, or too large.`);
  }
}

/** A failure where the last version decided is a difference, too. */
function outcomeOf(judged: () => Plan): PlanSummary | string {
  try {
    return summaryOf(judged());
  } catch (error) {
    return `fail with ${(error as Error).name}`;
  }
}

interface Difference {
  orderRef: string;
  at: string;
  status: string;
  done: string;
  would: string;
}

/** The stored read was JSON, which omits undefined members. */
const isSame = (would: PlanSummary, done: PlanSummary) => isDeepStrictEqual(JSON.parse(JSON.stringify(would)), done);

function words({ todo, status, rounds = {}, settled, toConfirm, failure }: PlanSummary): string {
  const ofRounds = Object.entries(rounds).map(
    ([kind, { number, asked, left }]) => `${kind} ${number}, asked ${asked.times}${left ? ', left' : ''}`,
  );
  const confirms = toConfirm.length > 0 && `confirm ${toConfirm.join(' ')}`;
  return [todo, status && `record ${status}`, ...ofRounds, ...settled, confirms, failure].filter(Boolean).join('; ');
}
