import type { Said } from './said.ts';

/** Texts of every page. */
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
  laptop: ['this laptop', 'этот ноутбук'],
  stage: (name: string) => [`stage ${name}`, `стадия ${name}`],
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
      'This folder has more than 5,000 files: nothing was taken. Drop fewer packages at once.',
      'В этой папке больше 5 000 файлов: ничего не взято. Перетащите меньше пакетов сразу.',
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
  creationsWait: (since: string, cause: string, next: string) => [
    `Since ${since}, the service has answered no creation (the last one: ${cause}). Others wait; the next is tried at ${next}.`,
    `С ${since} сервис не отвечает на создание заявок (последнее: ${cause}). Другие ждут; следующая попытка в ${next}.`,
  ],
  tokenWaits: (until: string) => [
    `The authorization service asked for no token request before ${until}. Orders wait.`,
    `Служба авторизации просит не запрашивать токен до ${until}. Заявки ждут.`,
  ],
  sent: {
    underWay: [
      'Sent; the outcome will stand here, also after this is closed or the page is loaded again.',
      'Отправлено; исход будет показан здесь, даже если закрыть это окно или загрузить страницу заново.',
    ],
    unknown: [
      'Sent; the outcome is not known yet. It will stand here as soon as the order shows it. Doing the same again is safe: nothing is done twice.',
      'Отправлено; исход пока неизвестен. Он появится здесь, как только его покажет заявка. Повторить то же самое безопасно: дважды ничего не делается.',
    ],
    shown: (what: string, at: string) => [
      `Sent. The order shows: ${what}, ${at}.`,
      `Отправлено. В заявке есть: ${what}, ${at}.`,
    ],
    follow: ['Follow the order', 'Следить за заявкой'],
    forget: ['Take it off the page', 'Убрать со страницы'],
  },
  paused: (since: string, by: string, reason: string) => [
    `The stage is paused since ${since}, by ${by}: ${reason}. No order calls the order service until it is resumed.`,
    `Стадия приостановлена с ${since}, ключ ${by}: ${reason}. До возобновления заявки не обращаются к сервису.`,
  ],
  stagePause: {
    pause: {
      name: ['Pause the stage', 'Приостановить стадию'],
      does: (orders: string) => [
        `For operators. No order calls the order service until the stage is resumed: now ${orders} would wait. Packages, signatures and decisions are still taken. Steps that are running end first.`,
        `Для операторов. До возобновления ни одна заявка не обращается к сервису: сейчас будут ждать ${orders}. Пакеты, подписи и решения принимаются. Начатые шаги закончатся.`,
      ],
      done: ['The stage is paused.', 'Стадия приостановлена.'],
    },
    resume: {
      name: ['Resume the stage', 'Возобновить стадию'],
      does: (orders: string) => [
        `For operators. Orders go on, one after another: now ${orders} may have been held. The first go on within 15 minutes.`,
        `Для операторов. Заявки продолжатся одна за другой: сейчас могут ждать ${orders}. Первые — в течение 15 минут.`,
      ],
      done: ['The stage is resumed.', 'Стадия возобновлена.'],
    },
  },
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
  yes: ['yes', 'да'],
  no: ['no', 'нет'],
} satisfies Said;
