import { clearScreenDown, moveCursor } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { OrderItem } from '../core/order/order-item.ts';
import { STATUS_LINE } from '../core/order/what-happened.ts';
import { type AddCommand, ofOrders, type Print, seconds } from './shared/arguments.ts';
import { connect, type StageConnection } from './shared/connection.ts';
import { nextReadOf, type OrderDetails } from './shared/order-details.ts';
import { type CommandResult, formatSpan, plain, time } from './shared/text.ts';
import type { TimelineEntry } from './shared/timeline.ts';

export const addWatch: AddCommand = (program, perform) =>
  ofOrders(program, 'watch', 'follow orders until they are over: their way, what they wait for, and the next read')
    // The record changes when the order is read, which is every few seconds at most.
    .option('--every <seconds>', 'time between two looks', seconds, 2)
    .action((orderRefs: string[], options: { every: number }) =>
      perform(async (place, print) => watch(await connect(place), orderRefs, options, print)),
    );

interface View {
  orderRef: string;
  /** The statuses that the order has had. */
  way: string;
  /** What it does now, and what changes with time. */
  now: string[];
  isOver: boolean;
}

/** @param print undefined for a script that wants only the end, as JSON. */
async function watch(
  { record }: StageConnection,
  orderRefs: string[],
  { every }: { every: number },
  print: Print | undefined,
): Promise<CommandResult> {
  const show = print && (process.stdout.isTTY ? movingLines() : changedLines(print));
  for (;;) {
    const details = await Promise.all([...new Set(orderRefs)].map((orderRef) => record.details(orderRef)));
    const views = details.map((one) => viewOf(one, Date.now()));
    show?.(views);
    if (views.every(({ isOver }) => isOver)) return { lines: [], json: details.map(({ order }) => summary(order)) };
    await pause(every * 1000);
    // The reader has closed the pipe.
    if (!process.stdout.writable) return { lines: [], json: [] };
  }
}

function viewOf({ order, timeline }: OrderDetails, now: number) {
  const { orderRef, waitingFor } = order;
  return { orderRef, way: wayOf(order, timeline), now: nowOf(order, now), isOver: waitingFor === 'nobody' };
}

/** The statuses that the order has had. A repeated one is shown again. */
function wayOf({ status }: OrderItem, timeline: TimelineEntry[]): string {
  const passed = timeline.flatMap(({ what }) => (what.startsWith(STATUS_LINE) ? what.slice(STATUS_LINE.length) : []));
  const way = passed.at(-1) === status ? passed : [...passed, status];
  return plain(['RECEIVED', ...way.filter((name) => name !== 'RECEIVED')].join(' > '));
}

function nowOf(order: OrderItem, now: number): string[] {
  const { waitingFor, changedAt, failure, resume } = order;
  const nextReadAt = nextReadOf(order);
  if (waitingFor === 'nobody') return [failure ? `over: ${failure.error}` : 'over'];
  const since = formatSpan(Math.max(0, now - Date.parse(changedAt)));
  if (failure && resume) return [`stopped by ${failure.error}, goes on by itself at ${time(resume.at)}`];
  if (failure)
    return [`stopped by ${failure.error} ${since} ago, waits for an operator: loan-orders show ${order.orderRef}`];
  const next = nextReadAt ? [`next read at ${time(nextReadAt)}`] : [];
  return [`waits for ${waitingFor}`, `unchanged for ${since}`, ...next];
}

function summary({ orderRef, status, waitingFor, failure }: OrderItem) {
  return { orderRef, status, waitingFor, failure: failure?.error };
}

function movingLines() {
  const { stdout } = process;
  let drawn = 0;
  return (views: View[]) => {
    const lines = views.flatMap(({ orderRef, way, now }) => [`${orderRef}  ${way}`, `  ${now.join(', ')}`]);
    moveCursor(stdout, 0, -drawn);
    clearScreenDown(stdout);
    for (const line of lines) stdout.write(`${fitting(line, stdout.columns)}\n`);
    drawn = lines.length;
  };
}

/** A line longer than the terminal's width would break the layout. Its end is the most important part. */
function fitting(line: string, width: number): string {
  return line.length < width ? line : `…${line.slice(line.length - width + 2)}`;
}

function changedLines(print: Print) {
  const last = new Map<string, string>();
  return (views: View[]) => {
    for (const { orderRef, way, now } of views) {
      const state = `${way.split(' > ').at(-1)}, ${now[0]}`;
      if (last.get(orderRef) === state) continue;
      last.set(orderRef, state);
      print(`${time(new Date().toISOString())}  ${orderRef}  ${state}`);
    }
  };
}
