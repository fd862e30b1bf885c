import { say } from '../../../core/messages/say.ts';
import type { Failure, RefusedSignature, RejectionProblem, WhatHappened } from '../../api.ts';
import { everywhere } from './everywhere.ts';
import { RUSSIAN, VALID_ONE } from './russian.ts';
import { inOne, type Said, wordsFor } from './said.ts';
import { SIGNATURES } from './signatures.ts';

/** The prefix of timeline lines that name a status. */
const STATUS = 'Status ';

/** The timeline lines in Russian. The record has them in English. An unknown line of another release stays English. */
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
  'A signature is checked again later': 'Подпись будет проверена ещё раз позже',
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
  'An accept was refused': 'Завершение этапа отклонено',
  'A confirm was refused': 'Подтверждение отклонено',
  'Closed with confirms of unknown outcome: ask the bank': 'Закрыта, исход подтверждений неизвестен: спросите банк',
  'The service has confirmed offers that the record does not know': 'Сервис подтвердил предложения не из записи',
  'Document replaced': 'Документ заменён',
  'Document not replaced: its newest version is empty, deleted, too large or unreadable':
    'Документ не заменён: его новая версия пуста, удалена, слишком велика или недоступна для чтения',
  'Sent again': 'Отправлено ещё раз',
  'Continues in another release': 'Продолжается в другой версии',
  'Reached its offers without signatures': 'Дошла до предложений без подписей',
  'Closed without signatures': 'Закрыта без подписей',
  'The order service asks for a long wait': 'Сервис просит долго ждать',
  'Execution ended': 'Выполнение завершилось',
  'Started: no execution drove the order': 'Запущена: ни одно выполнение не вело заявку',
  'Started again after an outage': 'Запущена снова после сбоя',
  'An operator asked for a retry': 'Оператор попросил повторить',
  'An operator has redriven the execution': 'Оператор продолжил выполнение',
  'An operator asked to abort': 'Оператор попросил остановить',
  'An operator dismissed the order': 'Оператор снял заявку',
  'An operator says that the order was created': 'Оператор сообщил, что заявка создана',
  'An operator says that the order was not created': 'Оператор сообщил, что заявка не создана',
  'An operator says that an offer was confirmed': 'Оператор сообщил, что предложение подтверждено',
  'An operator says that an upload was done': 'Оператор сообщил, что файл дошёл до сервиса',
  'An operator says that an offer was not confirmed': 'Оператор сообщил, что предложение не подтверждено',
  'Put on hold': 'Поставлен запрет на удаление',
  'Hold released': 'Запрет на удаление снят',
  'Files removed': 'Файлы удалены',
  'Record reduced': 'Запись сокращена',
};

/** The names of a line's facts, in Russian. */
const FACTS: Record<string, string> = {
  round: 'раз',
  documents: 'документов',
  document: 'документ',
  missing: 'не хватает',
  offers: 'предложений',
  offer: 'предложение',
  reason: 'причина',
  error: 'ошибка',
  by: 'кто:',
  release: 'версия',
  generation: 'выполнение',
  execution: 'имя',
  status: 'ответ',
  problems: 'замечаний',
  versions: 'версий',
  items: 'записей',
  until: 'до',
};

/** The states of a choice, in Russian. */
const CHOICES: Record<string, string> = {
  chosen: 'выбрано',
  confirmed: 'подтверждено',
  'not confirmed': 'не подтверждено',
  'outcome unknown': 'исход неизвестен',
  refused: 'отклонено',
  'refused, outcome unknown': 'отклонено, исход неизвестен',
  withdrawn: 'отозвано',
  'not confirmed: the order was closed': 'не подтверждено: заявка закрыта',
  'not confirmed: the validation failed': 'не подтверждено: проверка не пройдена',
};

/** Translations of the server's English texts. Texts of another release, and texts without a code, stay English. */
export const fromServer = {
  failure: ({ error, ...coded }: Failure) => [error, say(RUSSIAN, coded) ?? error],
  /** Why a signature was rejected, and what to do. */
  rejectedSignature: ({ problem = '', ...coded }: Partial<RefusedSignature>) => {
    const isOfGate = Object.hasOwn(SIGNATURES, coded.code ?? '');
    const russian = say(RUSSIAN, coded) ?? problem;
    return [problem, isOfGate && !russian.includes('\n') ? `${russian}\n${VALID_ONE}` : russian];
  },
  /** Two lines: what is wrong, and how to fix it. */
  problem: ({ problem, fix, ...coded }: RejectionProblem) => {
    const english = `${problem}\n${fix}`;
    const russian = say(RUSSIAN, coded);
    const { hint } = (coded.params ?? {}) as { hint?: string };
    return [english, russian === undefined ? english : russian + (hint ? RUSSIAN.schemaSays({ hint }) : '')];
  },
  choice: (state: string) => [state, wordsFor(CHOICES, state)],
  /** A name and its value. */
  fact: (fact: string) => [fact, fact.replace(/^\S+/, (name) => wordsFor(FACTS, name))],
  happened: (what: string) => [inWords(what, 0), inWords(what, 1)],
} satisfies Said;

function inWords(what: string, at: 0 | 1): string {
  if (!what.startsWith(STATUS)) return at === 0 ? what : wordsFor(LINES, what);
  return `${['Status', 'Статус'][at]}: ${wordsFor(inOne(everywhere.statuses, at), what.slice(STATUS.length))}`;
}
