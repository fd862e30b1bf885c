import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { makeSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { ordersStackName } from '../../infra/names.ts';
import { confirm } from '../confirm.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { documents } from '../documents.ts';
import { publishedOffers } from '../offers.ts';
import { retry } from '../retry.ts';
import { connect, type StageConnection } from '../shared/connection.ts';
import type { OrderDetails } from '../shared/order-details.ts';
import { clientSettings, type PlaceOptions } from '../shared/place.ts';
import { findStack, homeOf } from '../shared/stack-outputs.ts';
import { takeableOffers } from '../shared/takeable-offers.ts';
import { formatSpan, Refusal } from '../shared/text.ts';
import { sign, signAll } from '../sign.ts';
import { silent } from '../submit/progress.ts';
import { submit } from '../submit.ts';
import type { Rehearsal } from './rehearsal.ts';
import { serviceFindings } from './service-orders.ts';

/** The packages of examples/ that become orders, with their expected ends after signing and deciding. */
export const ENDS = {
  'two-offers': 'CLOSED',
  gost: 'CLOSED',
  'fails-validation': 'VALIDATION_FAILED',
  manual: 'CLOSED',
} as const;
export const REFERENCES = Object.keys(ENDS) as (keyof typeof ENDS)[];

/** Its documents are signed by the signer's own program. */
const GOST = 'gost';
const GOST_PROGRAM = `'${process.execPath}' '${fileURLToPath(new URL('./gost-program.ts', import.meta.url))}' {document} {signature}`;

/** Milliseconds. S3 may take this long to send events of a new bucket. */
const UNTIL_EVENTS = 5 * 60_000;
/** The longest time until every order has ended. */
const PATIENCE = 10 * 60_000;
/** The longest time from a signature to the order's next status: the first hour in docs/deployment.md. */
const LONGEST_WAKE = 2 * 60_000;
/** The longest time until a new execution has claimed its order. */
const UNTIL_CLAIMED = 60_000;
const LOOK_EVERY = 3_000;
const LOOK_EVERY_HERE = 250;

/** Submits the examples, plays the signer and the credit desk, and follows each order to its end. */
export async function rehearseOrders(rehearsal: Rehearsal): Promise<Finding[]> {
  const { place, say } = rehearsal;
  const connection = await connect(place);
  if (!place.local) await awaitEvents(place, say);
  const accepted: Finding[] = [];
  for (const name of REFERENCES) accepted.push(await submitExample(rehearsal, name));
  await retryStopped(connection, say);
  const folder = await mkdtemp(join(tmpdir(), 'loan-orders-rehearsal-'));
  try {
    const people = playPeople(rehearsal, connection, await signerFiles(folder));
    const ended = await follow(connection, people, place.local ? LOOK_EVERY_HERE : LOOK_EVERY);
    return [
      ...accepted,
      ...ended.map(endOf),
      people.wakeFinding(),
      await documentsOf(place, join(folder, 'documents')),
      ...(await serviceFindings(place, ended)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until S3 sends events of the buckets, which are as new as the stack. */
async function awaitEvents(place: PlaceOptions, say: (line: string) => void): Promise<void> {
  const client = new CloudFormationClient(clientSettings(place));
  const stack = await findStack(client, ordersStackName(await homeOf(place)));
  const left = (stack?.CreationTime?.getTime() ?? Date.now()) + UNTIL_EVENTS - Date.now();
  if (left <= 0) return;
  say(`Waiting ${formatSpan(left)} until S3 sends events of new buckets …`);
  await pause(left);
}

async function submitExample({ place, say }: Rehearsal, name: string): Promise<Finding> {
  const answer = await submit(place, fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)), name, {
    progressOf: () => silent,
  });
  for (const line of answer.lines) say(line);
  if (answer.exitCode) throw new Refusal(answer.lines.join(' '));
  return finding(name, true, 'An upload brought an event, and the package was accepted.');
}

/** An earlier run of this step may have left orders that wait for an operator. */
async function retryStopped(connection: StageConnection, say: (line: string) => void): Promise<void> {
  for (const orderRef of REFERENCES) {
    const { order } = await connection.record.details(orderRef);
    if (order.waitingFor !== 'operator') continue;
    for (const line of (await retry(connection, orderRef)).lines) say(line);
    const hasBegun = async () => (await connection.record.details(orderRef)).order.generation > order.generation;
    for (const end = Date.now() + UNTIL_CLAIMED; !(await hasBegun()) && Date.now() < end; )
      await pause(LOOK_EVERY_HERE);
  }
}

/** A key for this run, with its certificate. The simulator trusts every certificate. */
async function signerFiles(folder: string): Promise<{ key: string; cert: string }> {
  const { privateKey, certificate, authority } = makeSigner('p-256', { commonName: 'Signer of a rehearsal' });
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') };
  await writeFile(files.key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  await writeFile(files.cert, toPem(certificate) + toPem(authority.certificate));
  return files;
}

/** Plays the people for whom orders wait, with their commands. */
function playPeople({ place, say }: Rehearsal, connection: StageConnection, files: { key: string; cert: string }) {
  const decided = new Set<string>();
  /** When each order was signed. Removed when its status changes. Milliseconds since the epoch. */
  const signedAt = new Map<string, number>();
  let longestWake = 0;
  const noticeWakes = (all: OrderDetails[]) => {
    for (const { order } of all) {
      const at = signedAt.get(order.orderRef);
      if (at === undefined || order.status === 'WAITING_FOR_SIGNATURE') continue;
      signedAt.delete(order.orderRef);
      longestWake = Math.max(longestWake, Date.now() - at);
    }
  };
  const signFor = async (waiting: string[]) => {
    if (waiting.includes(GOST)) for (const line of (await sign(place, GOST, { with: GOST_PROGRAM })).lines) say(line);
    const { json } = await signAll(place, files, say);
    for (const { orderRef, done } of (json as { orders: { orderRef: string; done: boolean }[] }).orders)
      if (done && waiting.includes(orderRef)) signedAt.set(orderRef, Date.now());
  };
  const decideOn = async (orderRef: string) => {
    const { value: offers } = await publishedOffers(await connection.buckets(), orderRef);
    const [offer] = takeableOffers(offers);
    const choice = { offer: [offer?.offerId ?? ''], code: [offer?.options[0]?.code ?? ''] };
    for (const line of (await confirm(place, orderRef, choice)).lines) say(line);
    decided.add(orderRef);
  };
  return {
    async act(all: OrderDetails[]): Promise<void> {
      noticeWakes(all);
      const refs = (party: string) => all.flatMap(({ order }) => (order.waitingFor === party ? [order.orderRef] : []));
      const waiting = refs('signatures').filter((orderRef) => !signedAt.has(orderRef));
      if (waiting.length > 0) await signFor(waiting);
      for (const orderRef of refs('decision')) if (!decided.has(orderRef)) await decideOn(orderRef);
    },
    wakeFinding: () =>
      finding('orders', longestWake <= LONGEST_WAKE, `A signature woke its order within ${formatSpan(longestWake)}.`),
  };
}

/** Returns the orders when all have ended. Throws a Refusal if one waits for an operator, or after a timeout. */
async function follow(
  { record }: StageConnection,
  { act }: ReturnType<typeof playPeople>,
  lookEvery: number,
): Promise<OrderDetails[]> {
  for (const end = Date.now() + PATIENCE; ; await pause(lookEvery)) {
    const all = await Promise.all(REFERENCES.map((orderRef) => record.details(orderRef)));
    await act(all);
    const open = all.map(({ order }) => order).filter(({ waitingFor }) => waitingFor !== 'nobody');
    if (open.length === 0) return all;
    if (open.some(({ waitingFor }) => waitingFor !== 'operator') && Date.now() < end) continue;
    const named = open.map(({ orderRef, status, waitingFor, failure }) => {
      const reason = failure ? ` because of ${failure.error}` : '';
      return `${orderRef} is ${status}, and waits for ${waitingFor}${reason}`;
    });
    throw new Refusal(`Not every order has an end: ${named.join('; ')}.`);
  }
}

function endOf({ order: { orderRef, status, failure } }: OrderDetails): Finding {
  const expected = ENDS[orderRef as keyof typeof ENDS];
  if (status === expected) return finding(orderRef, true, `It ended as ${status}.`);
  const reason = failure ? ` (${failure.error})` : '';
  return finding(orderRef, false, `It should end as ${expected}, and is ${status}${reason}.`);
}

async function documentsOf(place: PlaceOptions, folder: string): Promise<Finding> {
  const { lines, exitCode } = await documents(place, 'two-offers', { download: folder });
  const line = (lines.find((one) => one.includes(' of order ')) ?? '').replace(` in ${folder}`, '');
  return finding('two-offers', !exitCode, line);
}
