import { beforeEach, describe, expect, test, vi } from 'vitest';
import { intakePart, isFileName } from '../../../core/package/intake-key.ts';
import { UNDECIDED } from '../../../core/package/kept-decision.ts';
import { holds } from '../../helpers/any-input.ts';
import { batchesOf, createdEvents, endedEvents } from './any-events.ts';
import { batchOf, context, eventFunctions } from './event-functions.ts';
import { pretendAws } from './pretended-aws.ts';

const handlers = eventFunctions();
/** The errors that the log names. */
let logged: string[];
/** What every file of intake holds in the current case. */
let content: Uint8Array;

const document = { file: 'documents/a.pdf', entityId: 'e', sourceEntityId: 's', docType: 'CHARTER', versionId: 'v' };
const common = {
  item: 'order',
  waitingFor: 'service',
  generation: 1,
  execution: 'arn:known-1',
  packageVersionId: 'v',
  documents: [document],
  notBefore: {},
  decision: UNDECIDED,
};
/** The orders in the record. The table fails for those that are `down`. */
const orders: Record<string, object> = {
  working: { status: 'IN_WORK' },
  signing: {
    status: 'WAITING_FOR_SIGNATURE',
    waitingFor: 'signatures',
    rounds: { signatures: { number: 1, fileIds: ['f'] } },
  },
  offers: { status: 'OFFERS_AVAILABLE', waitingFor: 'decision' },
  closed: { status: 'CLOSED', waitingFor: 'nobody' },
};
const isDown = (orderRef: string) => orderRef.startsWith('down');
const toSign = { fileId: 'f', key: 'to-sign/f', versionId: 'v', contentType: '', size: 1, sha256: '00' };
const offers = [{ offerId: 'o-1', status: 'AVAILABLE', creditOptions: [{ code: 'A' }] }];

beforeEach(async () => {
  logged = [];
  const { logger } = await import('../../../core/log.ts');
  vi.spyOn(logger, 'error').mockImplementation((...given) => void logged.push((given[1] as Error).name));
  pretendAws({
    item: ({ orderRef, item }) => {
      if (isDown(orderRef)) throw Object.assign(new Error(), { name: 'InternalServerError' });
      if (item.startsWith('to-sign#')) return { ...toSign, orderRef, item };
      return item === 'order' && Object.hasOwn(orders, orderRef)
        ? { ...common, orderRef, ...orders[orderRef] }
        : undefined;
    },
    items: (orderRef, prefix) => {
      const what = orderRef === 'signing' ? 'signatures' : 'decision';
      const item = `callback#${what}`;
      const staged = { ...toSign, orderRef, item: 'to-sign#1#f' };
      const held = [{ orderRef, item, generation: 1, what, round: 1, taskToken: 't' }, staged];
      return held.filter((one) => one.item.startsWith(prefix));
    },
    object: (key) => {
      if (key.endsWith('/offers.json')) return Buffer.from(JSON.stringify(offers));
      // A page of staging, which only our functions write.
      if (key.includes('absent') || key.endsWith('/decision-rejected.json')) return undefined;
      return content;
    },
  });
});

interface MaybeCreated {
  detail?: { object?: { key?: unknown; size?: unknown; 'version-id'?: unknown } };
}

/** Whether the event is one that S3 may send. */
function objectIn(event: MaybeCreated | null): string | undefined {
  const { key, 'version-id': versionId } = event?.detail?.object ?? {};
  const isText = typeof key === 'string' && key !== '' && key.isWellFormed() && Buffer.byteLength(key) <= 1_024;
  return isText && (versionId === undefined || typeof versionId === 'string') ? key : undefined;
}

function parsed<Event>(body: string): Event | null | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Whether a function cannot handle the message: it is no event of S3, or the table fails for its order. */
function failsFor(name: 'check-package' | 'receive-upload', body: string): boolean {
  const event = parsed<MaybeCreated>(body);
  const key = event === undefined ? undefined : objectIn(event);
  if (key === undefined) return true;
  const part = intakePart(key);
  const isDocument = part?.part === 'document';
  const isMisplaced = !part || (isDocument && !isFileName(part.file));
  const isHandled = name === 'receive-upload' ? !isDocument : isMisplaced || isDocument || part.part === 'package';
  const isFolder = key.endsWith('/') && event?.detail?.object?.size === 0;
  const folder = part?.folder ?? /^orders\/([^/]+)\//.exec(key)?.[1] ?? '';
  return isHandled && !isFolder && /^[\w.-]{1,64}$/.test(folder) && isDown(folder);
}

interface MaybeEnded {
  detail?: Record<'executionArn' | 'status' | 'stopDate' | 'input' | 'error' | 'cause', unknown>;
}

function failsForEnd(body: string): boolean {
  const { executionArn, status, stopDate, input, error, cause } = parsed<MaybeEnded>(body)?.detail ?? ({} as never);
  if (typeof executionArn !== 'string' || typeof status !== 'string') return true;
  if (typeof stopDate !== 'number' || Number.isNaN(new Date(stopDate).getTime())) return true;
  if (![input, error, cause].every((one) => one === undefined || one === null || typeof one === 'string')) return true;
  const { orderRef, generation } = parsed<Record<string, unknown>>(String(input)) ?? {};
  return orderRef === 'down' && Number.isSafeInteger(generation) && Number(generation) > 0;
}

const KNOWN = ['UnusableEvent', 'InternalServerError'];

async function expectFailures(
  name: keyof typeof handlers,
  [bodies, files]: [string[], Uint8Array],
  fails: (body: string) => boolean,
) {
  content = files;
  logged = [];
  const answer = await handlers[name](batchOf(bodies), context);
  expect(logged.filter((error) => !KNOWN.includes(error))).toEqual([]);
  const failed = bodies.flatMap((body, position) => (fails(body) ? [{ itemIdentifier: `m-${position}` }] : []));
  expect(answer).toEqual({ batchItemFailures: failed });
}

describe('of any batch, exactly the messages that cannot be handled come again, with a known error in the log', () => {
  test.each(['check-package', 'receive-upload'] as const)('%s', (name) =>
    holds(batchesOf(createdEvents), 150, (batch) => expectFailures(name, batch, (body) => failsFor(name, body))),
  );

  test('record-end', () =>
    holds(batchesOf(endedEvents), 150, (batch) => expectFailures('record-end', batch, failsForEnd)));
});
