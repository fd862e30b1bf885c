import type { WhatHappened } from '../../api.ts';
import { everywhere } from './everywhere.ts';
import { order } from './order.ts';
import { problemInRussian } from './problems.ts';
import { inOne, type Said, wordsFor } from './said.ts';

/** What the console's server refuses in the same words each time, in Russian. What commands and functions say stays as they wrote it. */
export const REFUSALS: Record<string, string> = {
  'This console is not open in this browser. Open the address that the terminal printed last: each works once.':
    'Эта консоль не открыта в этом браузере. Откройте адрес, который последним напечатан в терминале: каждый действует один раз.',
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

/** What commands say when evidence cannot be written, and what they say of AWS, in Russian. */
const SENTENCES: [said: RegExp, russian: string][] = [
  [/^These credentials may not use the stage's key for evidence\./, 'Нет прав на ключ стадии для доказательств.'],
  [/^KMS refuses to use the key \((.+?)\)\./, 'KMS не даёт использовать ключ ($1).'],
  [/^KMS answered without .+?\./, 'Ответ KMS неполон.'],
  [/^The KMS key has the type (.+?), which cannot sign documents\./, 'Ключ KMS типа $1 не может подписывать.'],
  [/^There is no certificate chain in intake: (.+?)\. /, 'В приёмном бакете нет цепочки сертификатов $1. '],
  [
    /^The certificate chain (.+?) in intake has no certificate for the KMS key\./,
    'В цепочке $1 нет сертификата ключа KMS.',
  ],
  [/^(\S+) in intake cannot be read as PEM certificates\./, '$1 в приёмном бакете не читается как сертификаты PEM.'],
  [
    /^(\S+) does not have the size or the SHA-256 that is recorded:/,
    'Размер или SHA-256 файла $1 не те, что в записи:',
  ],
  [/^(\S+) was removed while this command read it:/, '$1 удалён во время чтения:'],
  [/^The archive can't be written \((.+?)\):/, 'Архив не удаётся сохранить на этой машине ($1):'],
  [
    /^There is no order (\S+) here: .+ what was rejected\.$/,
    'Заявки $1 здесь нет: под этим номером ничего не загружено или пакет отклонён. Что отклонено, показывает страница «Отклонённые».',
  ],
  [/\bno archive was written\./i, 'архив не записан.'],
  [/ Ask who changed it\.$/, ' Узнайте, кто его изменил.'],
  [/ Repeat the command\.$/, ' Повторите.'],
  [/ Fix it \((.+?), "(.+?)"\), or tick "(.+?)"\.$/, ' Исправьте ($1, «$2») или отметьте «без подписи ключом стадии».'],
  [
    /^(.+) denied access: the credentials lack the permission (\S+) \((\S+) lists all\)\.$/,
    'Доступ запрещён ($1): у учётных данных нет права $2. Все права названы в $3.',
  ],
  [
    /^(.+) denied access: the credentials lack a permission \((\S+) lists all\)\.$/,
    'Доступ запрещён ($1): у учётных данных нет нужного права. Все права названы в $2.',
  ],
  [/^(.+) refused the credentials \((.+?)\)\. Sign in again\.$/, 'Учётные данные не приняты ($1, $2). Войдите снова.'],
  [/^(.+) did not answer in time\.$/, 'Нет ответа вовремя: $1. Повторите.'],
  [
    /^No connection to (.+) \((.+?)\)\. Check that it is running and that the network works\.$/,
    'Нет связи: $1 ($2). Проверьте сеть.',
  ],
  [
    /^No connection to (.+) \((.+?)\)\. Start it with "(.+?)", or name its address with (\S+)\.$/,
    'Нет связи: $1 ($2). Запустите «$3» или назовите адрес в $4.',
  ],
  [/\bthe laptop's AWS at (\S+)/i, 'AWS этого ноутбука, $1'],
  [
    /^There are no AWS credentials: nothing was done\..*$/,
    'Нет учётных данных AWS: ничего не сделано. Войдите в AWS (AWS_PROFILE).',
  ],
];

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
  'An accept was refused': 'Завершение этапа отклонено',
  'A confirm was refused': 'Подтверждение отклонено',
  'Closed with confirms of unknown outcome: ask the bank':
    'Закрыта с подтверждениями, исход которых неизвестен: спросите банк',
  'The service has confirmed offers that the record does not know':
    'Сервис подтвердил предложения, которых нет в записи',
  'Document replaced': 'Документ заменён',
  'Document not replaced: its newest version is empty, deleted or too large':
    'Документ не заменён: его новая версия пуста, удалена или слишком велика',
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
  'An operator says that an offer was not confirmed': 'Оператор сообщил, что предложение не подтверждено',
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
  refused: 'отклонено',
  'refused, outcome unknown': 'отклонено, исход неизвестен',
  withdrawn: 'отозвано',
  'not confirmed: the order was closed': 'не подтверждено: заявка закрыта',
  'not confirmed: the validation failed': 'не подтверждено: проверка не пройдена',
};

/** Words for what the server says in English. */
export const fromServer = {
  refusal: (sentence: string) => {
    // The page has a box where the command has an option.
    const said = sentence.replace('give --unsigned', `tick "${order.actions.evidence.unsigned[0]}"`);
    return [said, inRussian(said)];
  },
  problem: (text: string) => [text, problemInRussian(text)],
  choice: (state: string) => [state, wordsFor(CHOICES, state)],
  happened: (what: string) => [what, lineInRussian(what)],
} satisfies Said;

function inRussian(sentence: string): string {
  return SENTENCES.reduce((text, [said, russian]) => text.replace(said, russian), wordsFor(REFUSALS, sentence));
}

function lineInRussian(what: string): string {
  const status = /^Status (\S+)$/.exec(what)?.[1];
  if (status === undefined) return wordsFor(LINES, what);
  return `Статус: ${wordsFor(inOne(everywhere.statuses, 1), status)}`;
}
