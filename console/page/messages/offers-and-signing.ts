import type { SignatureVerdict } from '../../api.ts';
import type { Said } from './said.ts';

type Signer = NonNullable<SignatureVerdict['signers']>[number];

/** Texts of the parts of an order's page where people decide and sign. */
export const offersAndSigning = {
  offers: {
    byRule: ['A rule of the package decides.', 'Решает правило из пакета.'],
    byHand: ['People decide.', 'Решают люди.'],
    madeBy: {
      rule: ['It decided', 'Оно решило'],
      person: ['A person decided', 'Решил человек'],
    },
    decidedBy: ['Decided by', 'Кто решил'],
    finalAbout: ['final about', 'окончательно около'],
    takesNone: ['No offer is taken.', 'Предложений не берём.'],
    takesNoOther: ['No further offer is taken.', 'Других предложений не берём.'],
    mustChoose: (reason: string) => [`A person must choose: ${reason}`, `Выбрать должен человек: ${reason}`],
    hint: ['Choose one option of each offer that you want.', 'Выберите по одному варианту из нужных предложений.'],
    banks: ['bank|banks', 'банка|банков|банков'],
    offers: ['offer|offers', 'предложение|предложения|предложений'],
    borrow: (sum: string, banks: string) => [`Borrow ${sum} from ${banks}`, `Взять ${sum} у ${banks}`],
    take: (offers: string) => [`Take ${offers}`, `Принять ${offers}`],
    takeNone: ['Take no offer', 'Не брать предложений'],
    none: ['Take none…', 'Не брать…'],
    folded: [
      'offer cannot be taken|offers cannot be taken',
      'предложение принять нельзя|предложения принять нельзя|предложений принять нельзя',
    ],
    others: ['other offer|other offers', 'другое предложение|других предложения|других предложений'],
    decided: ['The decision is handed in.', 'Решение сдано.'],
    does: (company: string) => [`${company} borrows from:`, `${company} берёт кредит:`],
    doesNone: ['No offer is taken. The order waits to be closed.', 'Предложений не берём. Заявка ждёт закрытия.'],
    decidedByYou: ['The decision names you as the one who decided.', 'В решении будет указано, что решили вы.'],
    final: ['What is confirmed at a bank cannot be undone here.', 'Подтверждённое в банке отсюда отменить нельзя.'],
    leave: ['The decision is not sent. Leave this page?', 'Решение не отправлено. Уйти со страницы?'],
    overtaken: [
      'Nothing was sent: the order has changed since you looked. Picks of offers that stay the same are kept.',
      'Ничего не отправлено: пока вы смотрели, заявка изменилась. Выбор в неизменных предложениях сохранён.',
    ],
    over: (status: string) => [`The order takes no decision: ${status}.`, `Заявка решений не принимает: ${status}.`],
    decidedMeanwhile: (by = '', takes = '') => [
      `Somebody decided meanwhile${by && `, ${by}`}${takes && `. Taken: ${takes}`}.`,
      `За это время решение принято${by && `, ${by}`}${takes && `. Берут: ${takes}`}.`,
    ],
    differs: {
      new: ['a new offer', 'новое предложение'],
      gone: ['withdrawn', 'отозвано'],
      changed: ['changed', 'изменилось'],
    },
    best: ['(best)', '(лучшее)'],
    more: ['More', 'Подробнее'],
    readAt: ['As the bank said', 'По данным банка'],
    readNextAt: ['asked again', 'следующий опрос'],
    bankDecides: ['Whether an offer still stands is up to the bank.', 'Действует ли оно ещё, решает банк.'],
    dropped: (choice: string) => [`no longer taken: ${choice}`, `больше не берём: ${choice}`],
    statuses: {
      AVAILABLE: ['available', 'доступно'],
      REFUSED: ['refused', 'отказ'],
      CONFIRMED: ['confirmed', 'подтверждено'],
      EXPIRED: ['expired', 'истекло'],
    },
    terms: {
      bank: ['Bank', 'Банк'],
      currency: ['Currency', 'Валюта'],
      amount: ['Sum', 'Сумма'],
      term: ['Term', 'Срок'],
      rate: ['Rate a year', 'Ставка в год'],
      payment: ['Payment', 'Платёж'],
      total: ['All payments (calculated)', 'Все платежи (расчёт)'],
      expiresAt: ['Stands until', 'Действует до'],
    },
    units: {
      days: ['day|days', 'день|дня|дней'],
      weeks: ['week|weeks', 'неделя|недели|недель'],
      months: ['month|months', 'месяц|месяца|месяцев'],
      years: ['year|years', 'год|года|лет'],
    },
    every: {
      week: ['a week', 'в неделю'],
      month: ['a month', 'в месяц'],
      quarter: ['a quarter', 'в квартал'],
      year: ['a year', 'в год'],
    },
  },
  sign: {
    title: ['To sign', 'На подпись'],
    signedTitle: ['Documents for signature', 'Документы на подпись'],
    all: ['Download all (ZIP)', 'Скачать все (ZIP)'],
    view: ['Open', 'Открыть'],
    hide: ['Close', 'Закрыть'],
    download: ['Download', 'Скачать'],
    copyDigest: ['Copy SHA-256', 'Скопировать SHA-256'],
    missing: (missing: number, all: number, names: string) => [
      `Missing signatures (${missing} of ${all}): ${names}`,
      `Не хватает подписей (${missing} из ${all}): ${names}`,
    ],
    allArrived: ['A signature of every document arrived.', 'Пришли подписи всех документов.'],
    checking: (name: string) => [`checking ${name}…`, `проверяем ${name}…`],
    withProgram: ['Sign with a program of your own', 'Подписать своей программой'],
    copyLine: ['Copy the line', 'Скопировать строку'],
    changed: [
      'The service has another version of this document. It is staged and signed anew.',
      'У сервиса другая версия этого документа. Она будет выложена и подписана заново.',
    ],
    drop: ['Choose signatures', 'Выбрать подписи'],
    dropHint: [
      'or drop the files here: detached CMS signatures, or a ZIP of them. Each is checked at once, and nothing is handed in yet.',
      'или перетащите файлы сюда: откреплённые подписи CMS или ZIP с ними. Каждая проверяется сразу, и пока ничего не сдаётся.',
    ],
    fits: (file: string, order = '') => [
      `valid, for ${file}${order && ` of order ${order}`}`,
      `верна, для ${file}${order && `, заявка ${order}`}`,
    ],
    does: ['When all are signed, the order sends them to the bank.', 'Когда подписаны все, заявка отправит их в банк.'],
    handIn: (count: number) => [
      count > 1 ? `Hand in ${count} signatures` : 'Hand in the signature',
      count > 1 ? `Сдать подписи: ${count}` : 'Сдать подпись',
    ],
    leave: [
      'The signatures are not handed in. Leave this page, and drop them again later?',
      'Подписи не сданы. Уйти со страницы, а подписи перетащить позже снова?',
    ],
    notHandedIn: [
      'The order takes no signatures. These were dropped here and not handed in; nothing of them was sent:',
      'Заявка подписи не принимает. Эти подписи были перетащены сюда, но не сданы; из них ничего не отправлено:',
    ],
    forget: ['Take them off the page', 'Убрать со страницы'],
    handedIn: (count: number) => [`${count} handed in.`, `Сдано: ${count}.`],
    arrived: ['a signature arrived', 'подпись пришла'],
    brokenOff: (done: string, unknown: string) => [
      `The console broke off. ${done === '' ? 'None was handed in.' : `Handed in: ${done}.`} Unknown: ${unknown}. The list of documents shows which signatures arrived. Handing one in again is safe.`,
      `Консоль оборвала связь. ${done === '' ? 'Ни одна не сдана.' : `Сданы: ${done}.`} Неизвестно: ${unknown}. Какие подписи пришли, показывает список документов. Сдать ещё раз безопасно.`,
    ],
  },
  desk: {
    title: ['Signing', 'Подписи'],
    heading: ['Documents to sign', 'Документы на подпись'],
    nothing: ['Nothing waits for a signature.', 'Ничто не ждёт подписи.'],
    waiting: (orders: string, documents: string) => [
      `${orders}, ${documents} without a signature.`,
      `${orders}, без подписи: ${documents}.`,
    ],
    more: (orders: string) => [
      `${orders} more, not shown: they come here as these are signed.`,
      `Ещё ${orders} здесь не видно: они появятся, когда будут подписаны эти.`,
    ],
    download: (documents: string) => [`Download ${documents} (ZIP)`, `Скачать ${documents} (ZIP)`],
    all: ['All orders', 'Все заявки'],
    asked: ['Asked', 'Запрошено'],
    next: ['Next document', 'Следующий документ'],
    read: (read: number, all: number) => [`Viewed: ${read} of ${all}.`, `Просмотрено: ${read} из ${all}.`],
    viewed: ['viewed', 'просмотрен'],
    second: ['Valid too. One is here already: not handed in.', 'Тоже верна. Здесь уже есть одна: не сдаётся.'],
    signedBy: (signer: Signer) => [
      `certificate: ${certificate(signer, 'INN', 'INN of the person')}`,
      `сертификат: ${certificate(signer, 'ИНН', 'ИНН физлица')}`,
    ],
  },
  document: {
    brokenOff: [
      'This document broke off before its end, so it is not shown. Open it again. If it breaks off again, do not sign it, and ask who changed it.',
      'Документ оборвался, не дойдя до конца, поэтому он не показан. Откройте его ещё раз. Если он снова оборвётся, не подписывайте его и узнайте, кто его изменил.',
    ],
    large: (limit: string) => [`Larger than ${limit}: not shown here.`, `Этот документ больше ${limit}: не показан.`],
    broken: [
      'This file is broken, or is not a PDF, and cannot be shown.',
      'Этот файл повреждён или не является PDF, и показать его нельзя.',
    ],
  },
} satisfies Said;

function certificate({ name, organization, inn, personInn, fingerprint }: Signer, ofAny: string, ofPerson: string) {
  const known = [name, organization, inn && `${ofAny} ${inn}`, personInn && `${ofPerson} ${personInn}`].filter(Boolean);
  return known.length > 0 ? known.join(', ') : fingerprint;
}
