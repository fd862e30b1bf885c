import type { WhatHappened } from '../../api.ts';
import { everywhere } from './everywhere.ts';
import { inOne, type Said, wordsFor } from './said.ts';

/**
 * What happened and what to do, in Russian: a translation of commands/show/failure-advice.ts, whose English the server sends. A name that
 * ends with a dot stands for all names that begin with it, `other` for any other.
 */
export const FAILURES: Record<string, string> = {
  OutcomeUnknown:
    'Вызов оборвался, и неизвестно, что он успел сделать: если страница предлагает, уточните создание, а когда сервис заработает, повторите.',
  UnexpectedResponse:
    'Сервис ответил то, чем нельзя воспользоваться: посмотрите на этой странице слова сервиса и снимок, спросите сервис, затем повторите.',
  ServiceUnavailable:
    'Сервис или AWS недоступны, или сертификату сервиса нет доверия: если заявка не продолжится сама, повторите, когда сервис вернётся.',
  Throttled:
    'Сервис просил ждать дольше, чем длятся попытки: повторите после времени, названного в причине, а если это случится снова, ведите меньше заявок сразу.',
  Unauthorized: 'Учётные данные, токен или клиентский сертификат отклонены: положите в секрет верные, затем повторите.',
  Rejected:
    'Сервис отклонил вызов: посмотрите его слова на этой странице, исправьте то, что в них названо, затем повторите.',
  InvalidPackage: 'Принятого файла больше нет в приёмном бакете: загрузите его снова, затем повторите.',
  ValidationFailed:
    'Сервис нашёл ошибки в анкете или документах, и заявка окончена: подайте исправленный пакет под новым номером.',
  DocumentChanged:
    'Документ изменился между выдачей и подписью: спросите сервис, почему, затем повторите, и документ будет выдан и подписан заново.',
  SigningKeyUnusable:
    'Ключ KMS или его цепочка сертификатов не годятся: исправьте то, что названо в причине, затем повторите, или сначала сдайте подписи другого подписанта.',
  SignaturesOverdue: 'Подписи не пришли в срок: повторите, и заявка будет ждать недостающие ещё столько же.',
  DecisionOverdue: 'Решение по предложениям не пришло в срок: решите и повторите, в любом порядке.',
  SignatureUnusable: 'Подпись удалили или заменили негодной: ничего не отправлено, и заявка ждёт верной подписи.',
  Superseded: 'Заявку ведёт другое выполнение, а это остановилось: делать ничего не нужно.',
  AbortedByOperator: 'Оператор остановил выполнение: повторите, когда причины больше не будет.',
  DismissedByOperator: 'Оператор закончил заявку с нашей стороны: делать ничего не нужно, а повтор её вернёт.',
  ABORTED: 'Выполнение остановили в консоли AWS: если страница предлагает, уточните создание, затем повторите.',
  TIMED_OUT: 'Выполнение длилось больше года: если страница предлагает, уточните создание, затем повторите.',
  'States.Timeout': 'Функция не успела закончить: повторите, а если это случится снова, прочтите её журнал.',
  'Sandbox.Timedout': 'Функция не успела закончить: повторите, а если это случится снова, прочтите её журнал.',
  'Lambda.':
    'Lambda не смогла запустить функцию: проверьте лимит одновременных запусков аккаунта и журнал функции, затем повторите, если заявка не продолжится сама.',
  'Runtime.': 'Функция аварийно завершилась: прочтите её журнал, затем повторите, если заявка не продолжится сама.',
  'States.Runtime': 'Ошибка в этой программе или в её правах: пусть её исправят и развернут, затем повторите.',
  'States.TaskFailed': 'Ошибка в этой программе или в её правах: пусть её исправят и развернут, затем повторите.',
  other: 'Ошибка в этой программе или в её правах: пусть её исправят и развернут, затем повторите.',
};

/** What the console's server refuses in the same words each time, in Russian. What commands and functions say stays as they wrote it. */
export const REFUSALS: Record<string, string> = {
  'This console is not open in this browser.': 'Эта консоль не открыта в этом браузере.',
  'The request is not one that the page makes.': 'Такого запроса страница не делает.',
  'This package is no longer here: drop it again. Nothing was submitted.':
    'Этого пакета здесь больше нет: перетащите его снова. Ничего не подано.',
  'This package is being submitted: nothing was changed. Wait for its answer.':
    'Этот пакет сейчас подаётся: ничего не изменено. Дождитесь ответа.',
  'What was sent is larger than the console takes: nothing was done.':
    'Отправлено больше, чем принимает консоль: ничего не сделано.',
  'The console has nothing at this address.': 'По этому адресу в консоли ничего нет.',
  'This archive was taken already, or is gone: write it again.':
    'Этот архив уже забрали, или его нет: запишите его снова.',
  'It is empty.': 'Файл пуст.',
  'The order does not ask for it.': 'Заявка его не запрашивает.',
};

/** The lines of the timeline in Russian. The record has them in English, and a line of another release stays so. */
const LINES: Record<WhatHappened, string> = {
  'Package accepted': 'Пакет принят',
  'Order created': 'Заявка создана',
  'Accepted documents': 'Документы переданы',
  'Accepted signatures': 'Подписи переданы',
  'Found documents accepted': 'Документы оказались переданы',
  'Found signatures accepted': 'Подписи оказались переданы',
  'Waits for signatures': 'Ждёт подписей',
  'A signature arrived': 'Пришла подпись',
  'A signature was rejected': 'Подпись отклонена',
  'A signature is passed on unchecked': 'Подпись передана без проверки',
  'Documents signed with KMS': 'Документы подписаны в KMS',
  'Waits for a decision on the offers': 'Ждёт решения по предложениям',
  'A decision arrived': 'Пришло решение',
  'A decision arrived before the order waited for it': 'Решение пришло раньше, чем заявка его ждала',
  'A decision was rejected': 'Решение отклонено',
  'A decision was replaced': 'Решение заменено',
  'A decision was replaced or deleted before it was read': 'Решение заменено или удалено до прочтения',
  'The rule chose': 'Правило выбрало',
  'A human must choose': 'Выбрать должен человек',
  'Confirmed an offer': 'Предложение подтверждено',
  'Found an offer confirmed': 'Предложение оказалось подтверждено',
  'A confirm was refused': 'Подтверждение отклонено',
  'Closed with confirms of unknown outcome: ask the bank':
    'Закрыта с подтверждениями, исход которых неизвестен: спросите банк',
  'Document replaced': 'Документ заменён',
  'Document not replaced: its newest version is empty, deleted or too large':
    'Документ не заменён: его новая версия пуста, удалена или слишком велика',
  'Sent again': 'Отправлено ещё раз',
  'Continues in another release': 'Продолжается в другой версии',
  'Reached its offers without signatures': 'Дошла до предложений без подписей',
  'The order service asks for a long wait': 'Сервис просит долго ждать',
  'Execution ended': 'Выполнение завершилось',
  'Started: no execution drove the order': 'Запущена: ни одно выполнение не вело заявку',
  'Started again after an outage': 'Запущена снова после сбоя',
  'An operator asked for a retry': 'Оператор попросил повторить',
  'An operator asked to abort': 'Оператор попросил остановить',
  'An operator dismissed the order': 'Оператор снял заявку',
  'An operator says that the order was created': 'Оператор сообщил, что заявка создана',
  'An operator says that the order was not created': 'Оператор сообщил, что заявка не создана',
  'Put on hold': 'Поставлен запрет на удаление',
  'Hold released': 'Запрет на удаление снят',
  'Files removed': 'Файлы удалены',
  'Record reduced': 'Запись сокращена',
};

/** What became of a choice, in Russian. */
const CHOICES: Record<string, string> = {
  chosen: 'выбрано',
  confirmed: 'подтверждено',
  'not confirmed': 'не подтверждено',
  'outcome unknown': 'исход неизвестен',
  withdrawn: 'отозвано',
  'not confirmed: the order was closed': 'не подтверждено: заявка закрыта',
  'not confirmed: the validation failed': 'не подтверждено: проверка не пройдена',
};

/** Words for what the server says in English. */
export const fromServer = {
  failure: (error: string, words: string) => [words, failureInRussian(error)],
  refusal: (sentence: string) => [sentence, wordsFor(REFUSALS, sentence)],
  choice: (state: string) => [state, wordsFor(CHOICES, state)],
  happened: (what: string) => [what, lineInRussian(what)],
} satisfies Said;

function failureInRussian(error: string): string {
  const known = [error, error.replace(/[.].*/s, '.')].find((name) => Object.hasOwn(FAILURES, name)) ?? 'other';
  return FAILURES[known] as string;
}

function lineInRussian(what: string): string {
  const status = /^Status (\S+)$/.exec(what)?.[1];
  if (status === undefined) return wordsFor(LINES, what);
  return `Статус: ${wordsFor(inOne(everywhere.statuses, 1), status)}`;
}
