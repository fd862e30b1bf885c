import type { Said } from './said.ts';

/** Texts of the report of a month. */
export const report = {
  link: ['Report of the month', 'Отчёт за месяц'],
  title: (month: string) => [`Report: ${month}`, `Отчёт: ${month}`],
  month: ['Month', 'Месяц'],
  csv: ['Download CSV', 'Скачать CSV'],
  print: ['Print', 'Печать'],
  parts: {
    submitted: ['Submitted in the month', 'Поданы в этом месяце'],
    now: ['Where these orders stand now', 'Где эти заявки сейчас'],
    ended: ['Ended in the month', 'Завершены в этом месяце'],
    bank: ['Ended with an offer taken, by bank', 'Завершены с принятым предложением, по банкам'],
    step: ['How long each step of the ended orders took', 'Сколько длился каждый шаг завершённых заявок'],
  },
  names: {
    orders: ['Orders', 'Заявки'],
    offered: ['With offers', 'С предложениями'],
    taken: ['Offer taken', 'Предложение принято'],
    closed: ['Closed', 'Закрыты'],
    refused: ['Refused by the bank', 'Отказ банка'],
    dismissed: ['Dismissed by an operator', 'Завершены оператором'],
    total: ['From submission to end', 'От подачи до завершения'],
  },
  what: ['What', 'Что'],
  sum: ['Sum asked for', 'Запрошенная сумма'],
  withoutSum: (orders: number) => [`without a sum: ${orders}`, `без суммы: ${orders}`],
  unknown: ['Unknown', 'Неизвестен'],
  times: ['Median / slowest tenth', 'Медиана / медленная десятая часть'],
  meaning: [
    'An order may be in several lines. Submitted: whenever it ends; ended: whenever it was submitted; months are in UTC. Sums of different currencies are not added. Half of the orders took at most the median (dark bar), a tenth took the slowest tenth or longer (whole bar).',
    'Заявка может быть в нескольких строках. Поданы — когда бы ни завершились; завершены — когда бы ни были поданы; месяц — по UTC. Суммы в разных валютах не складываются. У половины заявок шаг длился не дольше медианы (тёмная полоса), у самой медленной десятой части — столько или дольше (вся полоса).',
  ],
} satisfies Said;
