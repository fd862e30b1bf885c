import type { Said } from './said.ts';

/** Texts of an order's page. */
export const order = {
  actions: {
    cancel: ['Cancel', 'Отмена'],
    close: ['Close', 'Закрыть'],
    names: {
      retry: ['Retry', 'Повторить'],
      resolve: ['Resolve the creation', 'Уточнить создание'],
      abort: ['Abort', 'Остановить'],
      dismiss: ['Dismiss', 'Снять'],
      evidence: ['Evidence', 'Доказательства'],
    },
    does: {
      retry: [
        'An order is read at the service, and goes on from there. What is done is not done again. An order that is refused stops none of the others.',
        'Заявка читается в сервисе и продолжается с этого места. Сделанное второй раз не делается. Заявка с отказом не мешает другим.',
      ],
      resolve: [
        'The call that creates an order broke off, and nobody knows what it did. Ask the service which of these orders it has, and record its answer. Nothing is sent now: the next retry relies on the answer. It creates the orders that the service does not have: a wrong answer creates one twice.',
        'Вызов, который создаёт заявку, оборвался, и неизвестно, что он сделал. Спросите у сервиса, какие из этих заявок у него есть, и запишите ответ. Сейчас ничего не отправляется: на ответ опирается следующий повтор. Заявки, которых у сервиса нет, он создаст: из-за неверного ответа их станет две.',
      ],
      abort: [
        'An order stops here, and waits for an operator. At the bank it stays as it is: it is not cancelled. A call that is under way may still reach the bank. A retry continues from there.',
        'Заявка остановится здесь и будет ждать оператора. В банке она останется как есть: она не отменяется. Начатый вызов ещё может дойти до банка. Повтор продолжит с этого места.',
      ],
      dismiss: [
        'An order ends here. The bank is told nothing: if it has the order, it may go on there. A retry brings it back until its files are removed.',
        'Заявка здесь закончится. Банку ничего не сообщается: если заявка у него есть, она может продолжиться. Повтор её вернёт, пока её файлы не удалены.',
      ],
    },
    leftOut: (orders: string, why: string) => [`Left out: ${orders}. ${why}`, `Не войдут: ${orders}. ${why}`],
    whyNot: {
      over: ['They are over.', 'Они окончены.'],
      known: ['Their creation is not in doubt.', 'Их создание не вызывает сомнений.'],
      idle: ['They have stopped already.', 'Они уже стоят.'],
      heals: ['They go on by themselves.', 'Они продолжатся сами.'],
      running: ['They are under way: abort them first.', 'Они выполняются: сначала остановите.'],
      unknown: [
        'The service may have them: resolve them first.',
        'Они могут быть у сервиса: сначала уточните создание.',
      ],
    },
    reason: ['Reason, without personal data', 'Причина, без персональных данных'],
    says: ['After the comma: its own orderId, or none', 'После запятой: свой orderId или none'],
    hasNone: ['It has none of the others', 'Остальных у него нет'],
    more: (count: number) => [`and ${count} more`, `и ещё ${count}`],
    done: (done: number, all: number) => [`Done: ${done} of ${all}.`, `Сделано: ${done} из ${all}.`],
    begun: (done: number, all: number) => [`${done} of ${all} begun…`, `Начато ${done} из ${all}…`],
    evidence: {
      title: (orderRef: string) => [`Evidence of order ${orderRef}`, `Доказательства по заявке ${orderRef}`],
      does: [
        'Everything that is known of the order is written into one archive: package, documents, signatures, offers, decisions, timeline. It holds personal data.',
        'Всё, что известно о заявке, собирается в один архив: пакет, документы, подписи, предложения, решения, хронология. В нём есть персональные данные.',
      ],
      unsigned: ["without the signature of the stage's key", 'без подписи ключом стадии'],
      write: ['Write it', 'Собрать'],
      done: (signed: boolean, sha256: string) => [
        `The archive is downloaded. Its manifest is ${signed ? '' : 'not '}signed. SHA-256: ${sha256}`,
        `Архив загружается. Его опись ${signed ? 'подписана' : 'не подписана'}. SHA-256: ${sha256}`,
      ],
    },
  },
  order: {
    package: ['Package', 'Пакет'],
    documents: ['document|documents', 'документ|документа|документов'],
    paused: (reason: string) => [`The stage is paused: ${reason}`, `Стадия приостановлена: ${reason}`],
    dismissed: (by: string) => [`Dismissed, by ${by}.`, `Завершена оператором, ключ ${by}.`],
    legalHold: (by: string) => [`On legal hold, by ${by}: nothing is removed.`, `Запрет на удаление, ключ ${by}.`],
    erased: (at: string, by: string) => [
      `Erased on ${at}, by ${by}. Its files and what was sent are gone.`,
      `Стёрта ${at}, ключ ${by}. Её файлов и отправленного больше нет.`,
    ],
    closedUnsigned: ['The order was closed without our signatures.', 'Заявка закрыта без наших подписей.'],
    closedWhileSigned: (arrived: number, all: number) => [
      `The order was closed while it was being signed. Signatures that arrived: ${arrived} of ${all}. They are kept; no other can be handed in.`,
      `Заявка закрыта, пока её подписывали. Пришло подписей: ${arrived} из ${all}. Они сохранены; другие сдать нельзя.`,
    ],
    unsigned: ['The order reached its offers without our signatures.', 'Предложения пришли без наших подписей.'],
  },
  steps: {
    submitted: ['Submitted', 'Подана'],
    documents: ['Documents', 'Документы'],
    signatures: ['Signatures', 'Подписи'],
    offers: ['Offers', 'Предложения'],
    closed: ['Closed', 'Закрыта'],
    now: ['What to do now', 'Что делать сейчас'],
    nextRead: ['It is asked again', 'Следующий опрос'],
    sign: (documents: string) => [`Sign ${documents}`, `Подписать: ${documents}`],
    signHere: (documents: string) => [`The bank needs signatures: ${documents}.`, `Банк ждёт подписей: ${documents}.`],
    compare: ['Compare the offers', 'Сравнить предложения'],
    again: ['Correct and send again', 'Исправить и подать снова'],
    decision: ['Decide which offers to take.', 'Решите, какие предложения принять.'],
    operator: ['The order has stopped. An operator repairs it.', 'Заявка остановилась. Её исправляет оператор.'],
    heals: ['Nothing to do: it goes on by itself.', 'Делать ничего не нужно: она продолжится сама.'],
    service: ['Nothing to do: the bank works on it.', 'Делать ничего не нужно: заявка у банка.'],
    correct: ['The bank refused it. Correct it under a new reference.', 'Банк отказал. Исправьте под новым номером.'],
    ended: ['An operator ended it here.', 'Оператор завершил её здесь.'],
    over: (taken: number) => [`It is closed. Offers taken: ${taken}.`, `Она закрыта. Принято предложений: ${taken}.`],
  },
  labels: {
    inn: ['INN', 'ИНН'],
  },
  technical: {
    title: ['Technical details', 'Технические сведения'],
    log: ['Log', 'Журнал'],
    snapshot: ['The service’s last answer', 'Последний ответ сервиса'],
  },
  issues: ['What the bank found', 'Что нашёл банк'],
  timeline: ['Timeline', 'Ход заявки'],
} satisfies Said;
