import type { StageFacts } from '../../api.ts';
import type { Said } from './said.ts';

/** Words of every page. */
export const everywhere = {
  title: ['Loan orders', 'Кредитные заявки'],
  navigation: ['Pages', 'Страницы'],
  skip: ['Skip to the content', 'Перейти к содержанию'],
  orders: ['Orders', 'Заявки'],
  toOrders: ['To the orders', 'К заявкам'],
  noPage: ['There is no such page', 'Такой страницы нет'],
  loading: ['Loading…', 'Загрузка…'],
  copied: ['Copied', 'Скопировано'],
  language: ['Language', 'Язык'],
  theme: {
    auto: ['Colours: as the system has them', 'Цвета: как в системе'],
    light: ['Colours: light', 'Цвета: светлые'],
    dark: ['Colours: dark', 'Цвета: тёмные'],
  },
  stageNamed: ({ stage, local }: StageFacts) => {
    if (stage === 'local') return ['this laptop', 'этот ноутбук'];
    return local
      ? [`this laptop, stage ${stage}`, `этот ноутбук, стадия ${stage}`]
      : [`stage ${stage}`, `стадия ${stage}`];
  },
  restarted: [
    'The console was started again. Open the new address, which is in the terminal: this page then goes on by itself.',
    'Консоль запущена заново. Откройте новый адрес из терминала: после этого страница продолжит сама.',
  ],
  console: [
    'The console does not answer. What is shown may be out of date. Look at the terminal where it was started.',
    'Консоль не отвечает. Данные на странице могли устареть. Посмотрите в терминал, где она была запущена.',
  ],
  dropped: {
    none: ['There is no file in what was dropped.', 'В перетащенном нет ни одного файла.'],
    many: [
      'This folder has more than 1,000 files: nothing was taken. Drop the folder of one package.',
      'В этой папке больше 1 000 файлов: ничего не взято. Перетащите папку одного пакета.',
    ],
    unread: (path: string) => [
      `${path} cannot be read: nothing was taken. Check that it is still there, and that you may read it.`,
      `${path} не читается: ничего не взято. Проверьте, что он на месте и что у вас есть право его читать.`,
    ],
  },
  unanswered: [
    'The console broke off before it answered: it is unknown whether this was done. It is looked up as soon as the console answers.',
    'Консоль оборвала связь до ответа: неизвестно, сделано ли это. Страница узнает, как только консоль ответит.',
  ],
  answersAgain: [
    'The console answers again, and this page shows what was done. Doing it again is safe: nothing is done twice.',
    'Консоль снова отвечает, и страница показывает, что сделано. Повторить безопасно: дважды ничего не делается.',
  ],
  paused: (since: string, by: string, reason: string) => [
    `The stage is paused since ${since}, by ${by}: ${reason}. No order calls the order service until it is resumed.`,
    `Стадия приостановлена с ${since}, ключ ${by}: ${reason}. До возобновления заявки не обращаются к сервису.`,
  ],
  statuses: {
    RECEIVED: ['Received', 'Получена'],
    IN_WORK: ['In work', 'В работе'],
    WAITING_FOR_DOCUMENTS: ['Waiting for documents', 'Ждёт документы'],
    WAITING_FOR_SIGNATURE: ['Waiting for signature', 'Ждёт подписи'],
    OFFERS_AVAILABLE: ['Offers available', 'Есть предложения'],
    OFFERS_APPROVED: ['Offers approved', 'Предложения приняты'],
    CLOSED: ['Closed', 'Закрыта'],
    VALIDATION_FAILED: ['Validation failed', 'Не прошла проверку'],
  },
  parties: {
    service: ['the service', 'сервис'],
    signatures: ['signatures', 'подписи'],
    decision: ['a decision', 'решение'],
    operator: ['an operator', 'оператора'],
    nobody: ['nobody', 'никого'],
  },
  yes: ['yes', 'да'],
  no: ['no', 'нет'],
} satisfies Said;
