import type { OddKind, OrderPlan, ServiceCall } from '../plan/order-plan.ts';
import { archived, helpless, oddOrder } from '../plan/plan-faults.ts';
import { type Mutation, mutation } from './mutation.ts';

type Try = [text: string, instead: string, met: OddKind | OrderPlan, call?: ServiceCall | 'token'];

const inFile = (file: string, tries: Try[]): Mutation[] =>
  tries.map(([text, instead, met, call = 'read']) => {
    const plan = typeof met === 'string' ? oddOrder(met, call) : met;
    return mutation(`${plan.orderRef}: "${instead}" instead of "${text}"`, [plan], file, text, instead);
  });

const polled = (name: string, seconds: number, written: unknown = seconds) =>
  helpless(name, { polls: [{ occurrence: 3, seconds, written }] });

/** The service never names a signature. */
const unnamed = helpless('unnamed', {
  serviceFaults: [{ kind: 'odd: no signatureId', call: 'upload signature', occurrence: 1, after: false, times: 99 }],
});

/** For what answers prove, how they are read, and how long they let an order wait. */
export const answerMutations: readonly Mutation[] = [
  ...inFile('core/service/what-answers-prove.ts', [
    ["=== 401, 'not sent', 'outage'", "=== 401, 'not sent', 'verdict'", 'odd: new tokens refused'],
    ["=== 401, 'not sent'", "=== 401, 'lost'", 'odd: new tokens refused', 'create'],
    ["[isTurnedAway, 'turned away', 'later'", "[isTurnedAway, 'turned away', 'outage'", 'odd: wait by 16 hours'],
    ["includes(status), 'turned away', 'outage'", "includes(status), 'turned away', 'verdict'", 'odd: 425'],
    ['407, 408, 421, 423, 425, 499', '408, 499', 'odd: 423', 'accept'],
    ["400, 'refused', 'unusable'", "400, 'refused', 'verdict'", 'odd: 404'],
    ["'refused', 'unusable', 'outage'", "'refused', 'unusable', 'verdict'", 'odd: 410', 'download'],
    ["'lost', 'unusable', 'outage'", "'lost', 'unusable', 'verdict'", 'odd: 302 as file', 'download'],
    ["[() => true, 'lost'", "[() => true, 'not sent'", 'odd: 200 for 202', 'accept'],
  ]),
  ...inFile('core/service/token-request.ts', [
    ['error === undefined || !', 'error === null && !', 'odd: 400 page as token', 'token'],
  ]),
  ...inFile('core/reading/without-read.ts', [
    ['failure: status === undefined ? outage : error', 'failure: error', 'odd: pages'],
  ]),
  ...inFile('core/order-service/document-answer.ts', [
    ['![type, ...patterns]', "type === '' && ![type, ...patterns]", 'odd: page as file', 'download'],
    ['body.readableLength === 0 &&', "type === '' &&", 'odd: 200 as file', 'download'],
  ]),
  ...inFile('core/order-service/order-service-client.ts', [
    ['names.signatureId), options.uploaded)', 'names.signatureId))', unnamed],
  ]),
  ...inFile('core/http/answer-body.ts', [
    ["['gzip', ", "['none', ", 'odd: gzip', 'create'],
    ["['deflate', ", "['none', ", 'odd: deflate', 'create'],
    ["['br', ", "['none', ", 'odd: br', 'create'],
    ['{ fatal: true })', '{ fatal: true, ignoreBOM: true })', 'odd: BOM', 'create'],
    ["exec(contentType)?.[1] ?? 'utf-8'", "exec('')?.[1] ?? 'utf-8'", 'odd: UTF-16', 'create'],
  ]),
  ...inFile('core/service/retry-after.ts', [
    ['dateOf(sentAt) || Date.now()', 'Date.now()', 'odd: wait by a clock ahead'],
    ['seconds <= LONGEST_WAIT_SECONDS ?', 'seconds >= 0 ?', 'odd: wait by an epoch'],
  ]),
  ...inFile('core/reading/poll.ts', [
    ['Math.ceil(number)', 'Math.floor(number)', polled('decimal', 12, 11.3)],
    ['if (seconds <= LONGEST_SLEEP_SECONDS)', 'if (seconds > 0)', polled('years', 1e9)],
  ]),
  ...inFile('core/package/whole-package.ts', [['if (why) return', "if (why && path === '') return", archived]]),
];
