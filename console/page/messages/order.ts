import type { Said } from './said.ts';

/** Texts of an order's page. */
export const order = {
  actions: {
    cancel: ['Cancel', 'Отмена'],
    close: ['Close', 'Закрыть'],
    retry: {
      name: ['Retry', 'Повторить'],
      title: (orderRef: string) => [`Retry order ${orderRef}`, `Повторить заявку ${orderRef}`],
      done: ['The order goes on. This page follows it.', 'Заявка продолжается. Страница за ней следит.'],
      does: [
        'The order is read at the service, and goes on from there. What is done is not done again.',
        'Заявка читается в сервисе и продолжается с этого места. Сделанное второй раз не делается.',
      ],
    },
    abort: {
      name: ['Abort', 'Остановить'],
      title: (orderRef: string) => [`Stop order ${orderRef} here`, `Остановить здесь заявку ${orderRef}`],
      done: ['The order was stopped here. A retry continues.', 'Заявка здесь остановлена. Повтор продолжит.'],
      does: [
        'The order stops here, and waits for an operator. At the bank it stays as it is: it is not cancelled. A call that is under way may still reach the bank. A retry continues from there.',
        'Заявка остановится здесь и будет ждать оператора. В банке она останется как есть: она не отменяется. Начатый вызов ещё может дойти до банка. Повтор продолжит с этого места.',
      ],
    },
    resolve: {
      name: ['Resolve the creation', 'Уточнить создание'],
      title: (orderRef: string) => [`Resolve the creation of order ${orderRef}`, `Уточнить создание ${orderRef}`],
      does: [
        'The call that creates the order broke off, and nobody knows what it did. Ask the order service whether it has this order, and record its answer here. Nothing is sent now: the next retry relies on what you record.',
        'Вызов, который создаёт заявку, оборвался, и неизвестно, что он сделал. Спросите у сервиса, есть ли у него эта заявка, и запишите ответ здесь. Сейчас ничего не отправляется: на записанное опирается следующий повтор.',
      ],
      question: ['What does the order service say?', 'Что отвечает сервис?'],
      created: ['It has the order, under this orderId:', 'Заявка у него есть, с таким orderId:'],
      notCreated: ['It does not have the order.', 'Заявки у него нет.'],
      thenReads: ['The next retry continues with this order.', 'Следующий повтор продолжит эту заявку.'],
      thenCreates: [
        'The next retry creates the order. If the service has it after all, it then exists twice.',
        'Следующий повтор создаст заявку. Если она у сервиса всё же есть, их станет две.',
      ],
      record: ['Record it', 'Записать'],
      recorded: ['Recorded. Continue with a retry.', 'Записано. Продолжите повтором.'],
    },
    evidence: {
      name: ['Evidence', 'Доказательства'],
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
