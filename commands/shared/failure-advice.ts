import { REPEAT_REFUSED, refusedWords } from '../../core/ledger/entry.ts';
import { CALL_TITLES } from '../../core/order-service/call-titles.ts';
import type { DoubtfulCreation, ListedOrder } from './order-details.ts';

type Both = readonly [english: string, russian: string];

/** In texts and commands, `<ref>` stands for the orderRef, and `<orderId>` for the service's ID of the order. */
interface Failure {
  /** Applies only to failures of this name with such a cause. Default: all. */
  cause?: (cause: string) => boolean;
  happened: Both;
  step: Both;
  /** Arguments of `loan-orders`: the command that, after the step, continues or ends the order. Default: a retry. */
  command?: string;
  /** Anchor of the section in docs/operations.md. Default: the first name as a heading. */
  section?: string;
}

const isOf = (call: keyof typeof CALL_TITLES) => (cause: string) => cause.startsWith(`${CALL_TITLES[call]}:`);

const RESOLVE = 'resolve <ref> --order-id <orderId>';
const RESUBMITTED = 'dismiss <ref> --reason "Submitted again under another orderRef"';
const CREATION = 'a-creation-whose-outcome-is-unknown';
const NEVER = 'an-order-that-will-never-go-on';

/** Keys for situations in which the name of the failure does not matter. */
const OUTAGE = 'any (the order waits for service)';
const CREATION_UNKNOWN = 'any (create is open)';
const WRONG_ORDER_ID = 'Rejected, NoUsableAnswer (the orderId of resolve)';
const NO_FAILURE = 'none';
const ANY_OTHER = 'States.Runtime, States.TaskFailed, any other name';

/**
 * The only source of what happened and what to do next: for `show`, `list`, `doctor`, the console in both languages, and the table in
 * docs/operations.md (`npm run generate`). A key lists names of failures, with a restriction in parentheses; the first match wins. A name
 * that ends with a dot stands for all names that begin with it.
 */
export const FAILURES: Record<string, Failure> = {
  [OUTAGE]: {
    happened: ['An outage stopped the order. It goes on by itself.', 'Заявку остановил сбой. Она продолжится сама.'],
    step: [
      'Nothing needs to be done: a retry only tries sooner.',
      'Делать ничего не нужно: повтор лишь попробует раньше.',
    ],
    section: 'an-outage',
  },
  [CREATION_UNKNOWN]: {
    happened: [
      'The call that creates the order broke off: it is unknown whether the service has the order. Nothing repeats it.',
      'Вызов, который создаёт заявку, оборвался: неизвестно, есть ли она у сервиса. Сам он не повторяется.',
    ],
    step: [
      'Ask the service, and record its answer: the orderId, or --none in its place if it does not have the order.',
      'Спросите у сервиса и запишите ответ: orderId или вместо него --none, если заявки у него нет.',
    ],
    command: RESOLVE,
    section: CREATION,
  },
  [WRONG_ORDER_ID]: {
    happened: [
      'The service does not know the orderId that an operator recorded.',
      'Сервис не знает orderId, который записал оператор.',
    ],
    step: ['Ask the service once more, and record the right one.', 'Спросите у сервиса ещё раз и запишите верный.'],
    command: RESOLVE,
    section: CREATION,
  },
  [NO_FAILURE]: {
    happened: ['No execution drives the order.', 'Заявку не ведёт ни одно выполнение.'],
    step: [
      'Retry, unless a failure is shown in a minute: the end of the execution may still be on its way.',
      'Повторите, если за минуту не появится ошибка: весть о конце выполнения может ещё идти.',
    ],
    section: 'find-the-failure',
  },
  OutcomeUnknown: {
    happened: ['A call broke off, and its outcome is unknown.', 'Вызов оборвался, и неизвестно, что он успел сделать.'],
    step: [
      'Retry when the service is well: the order is read first, and what was done is not done again.',
      'Повторите, когда сервис заработает: сначала заявка будет прочитана, и сделанное второй раз не делается.',
    ],
  },
  'UnexpectedResponse, NoUsableAnswer': {
    happened: ['The service gave an answer that cannot be used.', 'Сервис ответил то, чем нельзя воспользоваться.'],
    step: [
      'Show the service its answer. Retry when it answers otherwise.',
      'Покажите сервису его ответ. Повторите, когда он станет отвечать иначе.',
    ],
  },
  ServiceUnavailable: {
    happened: [
      'The order service, its authorization service or AWS could not be reached for too long, or a certificate is not trusted.',
      'Сервис, его сервер авторизации или AWS слишком долго недоступны, или сертификату нет доверия.',
    ],
    step: [
      'Correct a certificate or an address that the cause names. Retry when the service is back.',
      'Исправьте сертификат или адрес, если их называет причина. Повторите, когда сервис вернётся.',
    ],
  },
  Throttled: {
    happened: [
      'The service asked for a longer wait than the attempts or the stage allow.',
      'Сервис просил ждать дольше, чем длятся попытки или разрешает стадия.',
    ],
    step: ['Retry after the time that the cause names.', 'Повторите после времени, названного в причине.'],
  },
  Unauthorized: {
    happened: [
      'The credentials, the token or the client certificate were refused or cannot be used.',
      'Учётные данные, токен или клиентский сертификат отклонены или не годятся.',
    ],
    step: ['Put the right ones into the secret, then retry.', 'Положите в секрет верные, затем повторите.'],
  },
  'Rejected (the creation)': {
    cause: isOf('createOrder'),
    happened: [
      'The service refused to create the order. A package that was accepted cannot be changed.',
      'Сервис отказался создать заявку. Принятый пакет изменить нельзя.',
    ],
    step: [
      'Correct what the service names, submit the package under another orderRef, and end this order. If the service takes back its refusal: loan-orders retry <ref>.',
      'Исправьте то, что называет сервис, подайте пакет под другим номером и закончите эту заявку. Если сервис снимет отказ: loan-orders retry <ref>.',
    ],
    command: RESUBMITTED,
  },
  'Rejected (a repeated upload)': {
    cause: (cause) => cause.includes(REPEAT_REFUSED),
    happened: [
      'The service refused a repeated upload. The first may have arrived.',
      'Сервис отклонил повторную загрузку. Первая могла дойти.',
    ],
    step: [
      'Ask the service. If it has document n, or its signature: loan-orders resolve <ref> --upload n --done. Else upload a better one. Then retry.',
      'Спросите у сервиса. Если документ n или его подпись у него есть: loan-orders resolve <ref> --upload n --done. Иначе загрузите исправленный. Затем повторите.',
    ],
  },
  'Rejected (a document)': {
    cause: isOf('uploadDocument'),
    happened: ['The service refused a document.', 'Сервис отклонил документ.'],
    step: [
      'Upload a better one to intake under the same name, then retry.',
      'Загрузите в приёмный бакет исправленный под тем же именем, затем повторите.',
    ],
  },
  'Rejected (a signature)': {
    cause: isOf('uploadSignature'),
    happened: ['The service refused a signature.', 'Сервис отклонил подпись.'],
    step: [
      'Have the document signed again, upload the signature under the same name, then retry.',
      'Подпишите документ заново, загрузите подпись под тем же именем, затем повторите.',
    ],
  },
  'Rejected (a confirm)': {
    cause: (cause) => cause.includes(refusedWords('confirm')),
    happened: ['The service refused the confirm of an offer.', 'Сервис отказался подтвердить предложение.'],
    step: [
      'Decide again, with other choices (loan-orders confirm <ref>), then retry.',
      'Решите заново, с другим выбором (loan-orders confirm <ref>), затем повторите.',
    ],
  },
  Rejected: {
    happened: ['The service refused a call.', 'Сервис отклонил вызов.'],
    step: [
      'Ask the service why. Retry when it has changed its answer.',
      'Спросите у сервиса, почему. Повторите, когда он изменит ответ.',
    ],
  },
  'InvalidPackage (order.json)': {
    cause: (cause) => cause.includes('order.json'),
    happened: [
      'The accepted order.json is gone from the intake bucket, or cannot be read.',
      'Принятого order.json больше нет в приёмном бакете, или его нельзя прочитать.',
    ],
    step: [
      'Submit the package under another orderRef, and end this order.',
      'Подайте пакет под другим номером и закончите эту заявку.',
    ],
    command: RESUBMITTED,
  },
  InvalidPackage: {
    happened: [
      'An accepted file is gone from the intake bucket, or cannot be read.',
      'Принятого файла больше нет в приёмном бакете, или его нельзя прочитать.',
    ],
    step: ['Upload it again under its name, then retry.', 'Загрузите его снова под тем же именем, затем повторите.'],
  },
  ValidationFailed: {
    happened: [
      'The service found problems in the application or its documents. The order is over.',
      'Сервис нашёл ошибки в анкете или документах. Заявка окончена.',
    ],
    step: ['Submit a corrected package under another orderRef.', 'Подайте исправленный пакет под другим номером.'],
    command: 'show <ref> --problems',
    section: 'find-the-failure',
  },
  DocumentChanged: {
    happened: [
      'A document changed at the service between staging and signing.',
      'Документ изменился у сервиса между выдачей и подписью.',
    ],
    step: [
      'Ask the service why. After a retry the document is staged and signed again.',
      'Спросите у сервиса, почему. После повтора документ будет выдан и подписан заново.',
    ],
  },
  SigningKeyUnusable: {
    happened: [
      'The KMS key or its certificate chain cannot be used.',
      'Ключ KMS или его цепочка сертификатов не годятся.',
    ],
    step: ['Fix what the cause names, then retry.', 'Исправьте то, что названо в причине, затем повторите.'],
  },
  SignaturesOverdue: {
    happened: [
      'The signatures did not come within signaturesDeadlineDays.',
      'Подписи не пришли в срок (signaturesDeadlineDays).',
    ],
    step: [
      'Remind the signer, and retry: the order waits for the missing ones as long again.',
      'Напомните подписанту и повторите: заявка будет ждать недостающие ещё столько же.',
    ],
    section: 'find-the-failure',
  },
  DecisionOverdue: {
    happened: [
      'The decision on the offers did not come within decisionDeadlineDays.',
      'Решение по предложениям не пришло в срок (decisionDeadlineDays).',
    ],
    step: [
      'Remind the credit desk, and retry: the order waits for the decision as long again.',
      'Напомните кредитному отделу и повторите: заявка будет ждать решения ещё столько же.',
    ],
    section: 'find-the-failure',
  },
  SignatureUnusable: {
    happened: ['A signature was removed, or replaced by an invalid one.', 'Подпись удалили или заменили негодной.'],
    step: [
      'Have the document signed again. No execution ends with this failure.',
      'Подпишите документ заново. Выполнения этой ошибкой не заканчиваются.',
    ],
    section: 'find-the-failure',
  },
  Superseded: {
    happened: [
      'Another execution drives the order, and this one stopped.',
      'Заявку ведёт другое выполнение, а это остановилось.',
    ],
    step: ['Nothing, unless no execution is running.', 'Ничего, если другое выполнение идёт.'],
    section: 'find-the-failure',
  },
  AbortedByOperator: {
    happened: ['An operator stopped the execution.', 'Оператор остановил выполнение.'],
    step: [
      'Retry when the reason is gone. If it stays: loan-orders dismiss <ref> --reason "why".',
      'Повторите, когда причины больше не будет. Если она останется: loan-orders dismiss <ref> --reason "почему".',
    ],
    section: NEVER,
  },
  DismissedByOperator: {
    happened: ['An operator ended the order on our side.', 'Оператор закончил заявку с нашей стороны.'],
    step: ['Nothing needs to be done. A retry brings it back.', 'Делать ничего не нужно. Повтор её вернёт.'],
    section: NEVER,
  },
  ABORTED: {
    happened: [
      'The execution was stopped without a reason, as in the AWS console.',
      'Выполнение остановили без причины, как в консоли AWS.',
    ],
    step: ['Retry when the reason is gone.', 'Повторите, когда причины больше не будет.'],
    section: 'ended-by-aws',
  },
  TIMED_OUT: {
    happened: ['The execution was older than a year.', 'Выполнение длилось больше года.'],
    step: ['Retry.', 'Повторите.'],
    section: 'ended-by-aws',
  },
  'States.Timeout, Sandbox.Timedout': {
    happened: ['A function did not finish in its time.', 'Функция не успела закончить.'],
    step: [
      'Retry. If it happens again, read the log of the function.',
      'Повторите. Если это случится снова, прочтите её журнал.',
    ],
    section: 'ended-by-aws',
  },
  'Lambda.': {
    happened: ['Lambda could not run a function.', 'Lambda не смогла запустить функцию.'],
    step: [
      "Check the account's Lambda concurrency and the log of the function, then retry.",
      'Проверьте лимит одновременных запусков аккаунта и журнал функции, затем повторите.',
    ],
    section: 'ended-by-aws',
  },
  'Runtime.': {
    happened: [
      'A function died, or needed more memory than it has.',
      'Функция аварийно завершилась, или ей не хватило памяти.',
    ],
    step: ['Read the log of the function, then retry.', 'Прочтите её журнал, затем повторите.'],
    section: 'ended-by-aws',
  },
  [ANY_OTHER]: {
    happened: ['This software or its rights have a fault.', 'Ошибка в этой программе или в её правах.'],
    step: ['Have it fixed and deployed, then retry.', 'Пусть её исправят и развернут, затем повторите.'],
    section: 'any-other-name',
  },
};

/** What a retry alone repairs. The other failures need a look first. */
const RETRIED = [
  NO_FAILURE,
  'OutcomeUnknown',
  'ServiceUnavailable',
  'Throttled',
  'SignaturesOverdue',
  'DecisionOverdue',
  'AbortedByOperator',
  'ABORTED',
  'TIMED_OUT',
  'States.Timeout, Sandbox.Timedout',
];

/** The names in a key of the catalogue: `A, B (which)`. */
export const namesIn = (key: string) => (key.split(' (')[0] ?? '').split(', ');

/** The exact names of failures, without prefixes of families. */
export const FAILURE_NAMES = [...new Set(Object.keys(FAILURES).flatMap(namesIn))].filter(
  (name) => !/^any\b|^none$|[.]$/.test(name),
);

/** The known facts about an order that stopped. */
export interface Stopped extends Pick<ListedOrder, 'orderRef' | 'waitingFor'> {
  failure?: { error: string; cause?: string };
  creation?: DoubtfulCreation | undefined;
}

export interface Advice {
  happened: string;
  step: string;
  /** A complete command line, in which `<orderId>` may be a placeholder. */
  command: string;
  /** The section of the operations page. */
  section: string;
}

function keyOf({ waitingFor, failure, creation }: Stopped): string {
  const { error = '', cause = '' } = failure ?? {};
  if (creation === 'by hand' && /^Read order:.* answered 40[34]\b/.test(cause)) return WRONG_ORDER_ID;
  if (waitingFor === 'service' && failure) return OUTAGE;
  if (waitingFor !== 'nobody' && creation === 'unknown') return CREATION_UNKNOWN;
  if (!failure) return NO_FAILURE;
  const names = [error, error.replace(/[.].*/s, '.')];
  const fits = (key: string) => namesIn(key).some((name) => names.includes(name)) && key !== WRONG_ORDER_ID;
  return Object.keys(FAILURES).find((key) => fits(key) && (FAILURES[key]?.cause?.(cause) ?? true)) ?? ANY_OTHER;
}

/**
 * How a stopped order is repaired: `heals` goes on by itself, `retry` and `resolve` repair it at once. `look` needs somebody to look, then a
 * retry; `dismiss` the same, then a dismissal. Undefined if it has not stopped.
 */
export function repairOf(order: Stopped): 'heals' | 'retry' | 'resolve' | 'look' | 'dismiss' | undefined {
  const key = keyOf(order);
  if (key === OUTAGE) return 'heals';
  if (order.waitingFor !== 'operator') return undefined;
  if (RETRIED.includes(key)) return 'retry';
  const { command } = FAILURES[key] as Failure;
  if (command === RESOLVE) return 'resolve';
  return command === RESUBMITTED ? 'dismiss' : 'look';
}

/** The entry of the catalogue for an order that stopped, in English, or in Russian. */
export function adviceOn(order: Stopped, language: 'en' | 'ru' = 'en'): Advice {
  return adviceFor(keyOf(order), order.orderRef, language);
}

export function adviceFor(key: string, orderRef: string, language: 'en' | 'ru' = 'en'): Advice {
  const {
    happened,
    step,
    command = 'retry <ref>',
    section = namesIn(key)[0]?.toLowerCase(),
  } = FAILURES[key] as Failure;
  const at = language === 'en' ? 0 : 1;
  const named = (text: string) => text.replaceAll('<ref>', orderRef);
  return {
    happened: happened[at],
    step: named(step[at]),
    command: named(`loan-orders ${command}`),
    section: `docs/operations.md#${section}`,
  };
}

/** Whether a failure may have this name: one of our own, or one of a family. */
export function isFailureName(name: string): boolean {
  return FAILURE_NAMES.includes(name) || Object.hasOwn(FAILURES, name.replace(/[.].*/s, '.'));
}
