import { type Command, Option } from 'commander';
import { identifierProblem } from '../core/order-service/order-answer.ts';
import { isOrderRef } from '../core/package/intake-key.ts';
import { resolveOffer, resolveUpload } from './resolve/word.ts';
import { type AddCommand, ofOrders, positive, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { refuseRunning } from './shared/executions.ts';
import { readLocalFile } from './shared/local-file.ts';
import { type ManyCommand, onMany, refusedLines, refusedOf } from './shared/many-orders.ts';
import { createdAs, creationOf, type OperationEntry, type OrderDetails } from './shared/order-details.ts';
import { callWords, orderIdInAnswer } from './shared/service-words.ts';
import { type CommandResult, coloured, columns, Refusal, time } from './shared/text.ts';

interface ResolveOptions {
  orderId?: string;
  none?: true;
  file?: string;
  offer?: string;
  confirmed?: true;
  notConfirmed?: true;
  upload?: number;
  done?: true;
  preview?: true;
  yes?: true;
}

export const addResolve: AddCommand = (program, perform) =>
  ofOrders(program, 'resolve', 'record whether the service created orders whose creation is unknown', '[orderRef...]')
    .addOption(
      new Option('--order-id <orderId>', 'the service has the order under this orderId')
        .argParser((text) => text.trim())
        .conflicts(['none', 'file']),
    )
    .option('--none', 'the service has none of the orders: the next retry creates them')
    .option('--file <file>', 'orderRef,orderId in each line; with --none, orderRef')
    .addOption(
      new Option('--offer <offerId>', 'say what the bank says of a confirm of unknown outcome')
        .conflicts('none')
        .conflicts('file'),
    )
    .addOption(new Option('--confirmed', 'with --offer: the bank has confirmed the offer').conflicts('notConfirmed'))
    .option('--not-confirmed', 'with --offer: the bank has not confirmed it; the order goes on')
    .option('--upload <number>', 'with --done: the service has this upload, whose repeat it refused', positive)
    .option('--done', 'with --upload: if it is not so, the order is accepted without the document')
    .option('--preview', 'only show what is compared')
    .option('--yes', 'do not ask')
    .action((orderRefs: string[] = [], options: ResolveOptions, self: Command) => {
      const { orderId, none = false, file, offer, confirmed = false, notConfirmed = false, upload } = options;
      const [first] = orderRefs;
      if (offer !== undefined) {
        if (first === undefined || orderRefs.length > 1 || orderId || confirmed === notConfirmed)
          self.error('error: with --offer, give one orderRef, and --confirmed or --not-confirmed');
        return withConnection(perform, (connection) => resolveOffer(connection, first, offer, confirmed))();
      }
      if (upload !== undefined) {
        if (first === undefined || orderRefs.length > 1 || !options.done)
          self.error('error: with --upload, give one orderRef, the number of the document, and --done');
        return withConnection(perform, (connection) => resolveUpload(connection, first, upload))();
      }
      if ((first === undefined) === (file === undefined)) self.error('error: give either orderRefs or --file <file>');
      if (!orderId && !none && file === undefined) self.error('error: give either --order-id <orderId> or --none');
      if (orderId && orderRefs.length > 1) self.error('error: --order-id is for one order; give --file for many');
      return withConnection(perform, async (connection) => {
        const says =
          file === undefined
            ? new Map(orderRefs.map((orderRef) => [orderRef, orderId]))
            : serviceSays((await readLocalFile(file)).toString('utf8'), none);
        return resolveMany(connection, says, options);
      })();
    });

const RESOLVED_IN_A_SECOND = 1000;

/** What the service reports: the `orderId` of each order, or undefined if it does not have the order. */
type ServiceSays = ReadonlyMap<string, string | undefined>;

const TWICE =
  'If the service has one of them after all, the retry creates that order twice. Look for the company, the amount and this time.';

/** Records what the service reports about orders. First shows the report beside our own data, and asks. */
function resolveMany(connection: StageConnection, says: ServiceSays, options: ResolveOptions): Promise<CommandResult> {
  const check = async (_connection: StageConnection, orderRef: string) => {
    const { creation } = await checkResolve(connection, orderRef, says.get(orderRef));
    if (says.size > 1) refuseToCorrect(creation, says.get(orderRef));
  };
  const command: ManyCommand = {
    verb: 'resolve',
    done: 'recorded',
    candidates: [],
    one: async (_connection, orderRef) => {
      await check(connection, orderRef);
      return resolve(connection, orderRef, says.get(orderRef));
    },
    asksOfOne: [...says.values()].includes(undefined),
    preview: async (_connection, refs) => {
      const refused = await refusedOf(connection, check, refs);
      const orders = refs.filter((orderRef) => !refused.some((one) => one.orderRef === orderRef));
      const lines = [...(await compared(connection, orders, says)), '', ...refusedLines('resolve', refs, refused)];
      return { lines, orders, refused };
    },
  };
  return onMany(command, connection, [...says.keys()], { ...options, pace: RESOLVED_IN_A_SECOND });
}

/** Our data about each creation beside the service's. */
async function compared(connection: StageConnection, refs: string[], says: ServiceSays): Promise<string[]> {
  const rows: string[][] = [];
  for (const orderRef of refs) {
    const creation = creationOf(await connection.record.details(orderRef));
    const suggested = await orderIdInAnswer(connection, orderRef);
    const recorded = createdAs(creation);
    const lastCall = [
      recorded === undefined ? undefined : `recorded before: ${recorded}`,
      creation?.failure,
      ...callWords({ httpStatus: creation?.call.httpStatus }),
      suggested === undefined ? undefined : `its Location suggests ${suggested}`,
    ].filter(Boolean);
    const theirs = says.get(orderRef) ?? 'does not have it';
    const began = time(creation?.intendedAt);
    const beganAt = creation?.notAfter ? `unknown: ${began} to ${time(creation.notAfter)}` : began;
    rows.push([orderRef, beganAt, lastCall.join(', '), theirs]);
  }
  const isAnyMissing = refs.some((orderRef) => says.get(orderRef) === undefined);
  return [
    ...columns([['ORDER', 'CREATE BEGAN', 'WE GOT', 'THE SERVICE SAYS'], ...rows]),
    ...(isAnyMissing ? ['', coloured('bad', TWICE)] : []),
  ];
}

/** A list may be older than an operator's last record. Throws a Refusal if an order of a list has another `orderId` recorded. */
function refuseToCorrect(creation: OperationEntry, says: string | undefined): void {
  const recorded = createdAs(creation);
  if (recorded === undefined || recorded === says) return;
  throw new Refusal(
    `An operator recorded that order ${creation.orderRef} is ${recorded}: nothing was recorded. If that was wrong, resolve this order alone.`,
  );
}

/**
 * Parses the service's report: lines with `orderRef,orderId`, or only `orderRef` if the service has none of the orders.
 * @throws Refusal if a line cannot be read, or names something twice.
 */
function serviceSays(text: string, hasNone: boolean): ServiceSays {
  const says = new Map<string, string | undefined>();
  const seen = new Set<string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [orderRef = '', orderId, ...rest] = line.split(',').map((cell) => cell.trim());
    const isWhole = isOrderRef(orderRef) && rest.length === 0 && (hasNone ? orderId === undefined : !!orderId);
    const isTwice = says.has(orderRef) || seen.has(orderId ?? '');
    if (!isWhole || isTwice) {
      const wanted = hasNone ? 'an orderRef' : 'orderRef,orderId';
      const why = isTwice ? 'repeats an orderRef or an orderId' : `is not ${wanted}`;
      throw new Refusal(`Line ${at + 1} of the file ${why}: nothing was recorded.`);
    }
    says.set(orderRef, orderId);
    if (orderId !== undefined) seen.add(orderId);
  }
  return says;
}

/**
 * Records whether the service created an order whose creation has an unknown outcome. With an
 * `orderId` the order was created, without one it was not. The next execution relies on this.
 */
export async function resolve(
  connection: StageConnection,
  orderRef: string,
  orderId: string | undefined,
): Promise<CommandResult> {
  const { record } = connection;
  const { creation } = await checkResolve(connection, orderRef, orderId);
  if (orderId !== undefined) await refuseTaken(connection, orderRef, orderId);
  const facts = orderId === undefined ? {} : { 'created as': orderId };
  const { wordLine, wordOf } = await import('../core/order/creation-word.ts');
  await record.addToTimeline(orderRef, wordLine(orderId), facts);
  // The next execution relies on it.
  await record.table.updateItem({ orderRef, item: creation.item }, { said: wordOf(creation, orderId) });
  const found =
    orderId === undefined ? 'was not created: the next execution creates it' : `is ${orderId} at the order service`;
  return {
    lines: [`Recorded: order ${orderRef} ${found}. Continue with "loan-orders retry ${orderRef}".`],
    json: { orderRef, created: orderId !== undefined, orderId },
  };
}

/** @throws Refusal when nothing would be recorded. An `orderId` of another order is detected only when it is claimed. */
async function checkResolve({ record, executions }: StageConnection, orderRef: string, orderId: string | undefined) {
  const problem = orderId === undefined ? undefined : identifierProblem(orderId);
  if (problem !== undefined) throw new Refusal(`The orderId ${problem}: nothing was recorded. Ask the service again.`);
  const details = await record.details(orderRef);
  refuseRunning(await executions.since(details.order), orderRef, 'recorded');
  const creation = await unknownCreation(details);
  await refuseWhileUnderWay(orderRef, creation);
  return { details, creation };
}

/** @throws Refusal when there is nothing to resolve. */
async function unknownCreation(details: OrderDetails): Promise<OperationEntry> {
  const { order } = details;
  const { orderRef } = order;
  const creation = creationOf(details);
  if (!creation) {
    throw new Refusal(
      `Order ${orderRef} was never sent to the order service: there is nothing to resolve. Start it with "loan-orders retry ${orderRef}".`,
    );
  }
  const { isCorrectable } = await import('../core/order/creation-word.ts');
  if (isCorrectable(creation, order)) return creation;
  const { knowledge } = creation;
  if (knowledge.state === 'none' || knowledge.state === 'unlikely') {
    throw new Refusal(
      `The order service did not create order ${orderRef}: there is nothing to resolve. Create it with "loan-orders retry ${orderRef}".`,
    );
  }
  if (knowledge.state === 'open' && order.orderId === undefined) return creation;
  const orderId = order.orderId ?? createdAs(creation);
  throw new Refusal(`Order ${orderRef} is ${orderId} at the order service: there is nothing to resolve.`);
}

async function refuseWhileUnderWay(orderRef: string, creation: OperationEntry): Promise<void> {
  const { creationOverAt } = await import('../core/order/creation-word.ts');
  const over = creationOverAt(creation, Date.now());
  if (!over) return;
  throw new Refusal(
    `The call that creates order ${orderRef} may still be under way: nothing was recorded. ` +
      `Ask the service and repeat this after ${time(over.toISOString())}.`,
  );
}

/** Refuses an `orderId` that another of our orders has: both would act on the same order of the service. The creation refuses it, too. */
async function refuseTaken({ record }: StageConnection, orderRef: string, orderId: string): Promise<void> {
  const { orderIdKey } = await import('../core/order-service/order-id.ts');
  const { holder = orderRef } = (await record.table.getItem<{ holder: string }>(orderIdKey(orderId))) ?? {};
  if (holder === orderRef) return;
  throw new Refusal(
    `${orderId} already belongs to order ${holder}: nothing was recorded for ${orderRef}. Ask the service for the right orderId.`,
  );
}
