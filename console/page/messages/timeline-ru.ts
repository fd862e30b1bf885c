import type { WhatHappened } from '../../api.ts';
import { ru } from './ru.ts';

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

export function timelineWords(what: string): string {
  const status = /^Status (\S+)$/.exec(what)?.[1];
  if (status !== undefined) return `Статус: ${ru.statuses[status] ?? status}`;
  return Object.hasOwn(LINES, what) ? LINES[what as WhatHappened] : what;
}
