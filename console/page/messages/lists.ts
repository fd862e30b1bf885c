import type { Said } from './said.ts';

/** Texts of the table of orders and the list of rejected uploads. */
export const lists = {
  table: {
    order: ['Order', 'Заявка'],
    status: ['Status', 'Статус'],
    waitingFor: ['Waiting for', 'Ждёт'],
    unchanged: ['Changed', 'Изменена'],
    failure: ['Failure', 'Ошибка'],
    tooLong: ['(unchanged for too long)', '(слишком долго без изменений)'],
    search: ['Search orders', 'Поиск заявок'],
    sort: ['Sort by', 'Сортировка'],
    sorts: {
      changed: ['last change', 'последние изменения'],
      age: ['oldest change', 'давние изменения'],
      order: ['order', 'заявка'],
    },
    clear: ['Show all orders', 'Показать все заявки'],
    count: ['order|orders', 'заявка|заявки|заявок'],
    none: ['There are no orders yet', 'Заявок ещё нет'],
    firstOrder: ['Submit the first one', 'Подать первую'],
    noMatch: ['No order matches', 'Ни одна заявка не подходит'],
    byQueue: ['Queues', 'Очереди'],
    queues: {
      sign: ['To sign', 'Подписать'],
      decide: ['To decide', 'Решить'],
      repair: ['To repair', 'Исправить'],
      open: ['All open', 'Все открытые'],
      refused: ['Refused by the bank', 'Отказы банка'],
      closed: ['Over', 'Завершённые'],
      all: ['All', 'Все'],
    },
  },
  many: {
    name: ['Retry all shown', 'Повторить показанные'],
    title: (count: string) => [`Retry ${count}`, `Повторить: ${count}`],
    does: [
      'Each of these orders starts again, ten in a second. What is done is not done again. An order that is refused stops none of the others.',
      'Каждая из этих заявок начнётся снова, по десять в секунду. Сделанное второй раз не делается. Заявка с отказом не мешает другим.',
    ],
    more: (count: number) => [`and ${count} more`, `и ещё ${count}`],
    act: ['Retry them', 'Повторить их'],
    started: (done: number, all: number) => [`${done} of ${all} started.`, `Начато ${done} из ${all}.`],
    begun: (done: number, all: number) => [`${done} of ${all} begun…`, `Начато ${done} из ${all}…`],
  },
  rejected: {
    title: ['Rejected', 'Отклонённые'],
    heading: ['Rejected uploads', 'Отклонённые загрузки'],
    nothing: ['Nothing was rejected.', 'Отклонённых загрузок нет.'],
    count: ['upload|uploads', 'загрузка|загрузки|загрузок'],
    hint: [
      'No order was started or changed by these, and every file is still there. The start of an order takes the lines of its folder away.',
      'Они не начали и не изменили ни одной заявки, и все файлы остались на месте. Начало заявки убирает строки её папки.',
    ],
    upload: ['Upload', 'Загрузка'],
    why: ['Why', 'Почему'],
    since: ['Since', 'Впервые'],
    last: ['Last', 'Последний раз'],
    answer: ['Answer', 'Ответ'],
    kinds: {
      package: ['package with problems', 'пакет с замечаниями'],
      upload: ['belongs to no order', 'не относится к заявке'],
    },
    toOrder: (orderRef: string) => [`In the folder of order ${orderRef}`, `В папке заявки ${orderRef}`],
    older: (uploads: number) => [
      `Older uploads that are not listed: ${uploads}. Their answers are kept.`,
      `Более старые загрузки, которых нет в списке: ${uploads}. Их ответы сохранены.`,
    ],
  },
} satisfies Said;
