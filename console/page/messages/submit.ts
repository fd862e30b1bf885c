import type { Said } from './said.ts';

/** Texts of the page that submits a package. */
export const submitting = {
  submit: {
    title: ['Submit', 'Подать'],
    heading: ['Submit a package', 'Подать пакет'],
    drop: ['Choose a folder', 'Выбрать папку'],
    hint: [
      'or drop it here: order.json and the documents that it names. It is checked at once, and nothing is uploaded yet.',
      'или перетащите её сюда: order.json и документы, которые в нём названы. Пакет проверяется сразу, и пока ничего не загружается.',
    ],
    more: ['Choose files', 'Выбрать файлы'],
    moreHint: [
      'or drop missing and corrected files here. A file of the same name is replaced. A folder, or order.json with other files, replaces the whole package.',
      'или перетащите сюда недостающие и исправленные файлы. Файл с тем же именем заменяется. Папка или order.json с другими файлами заменяет весь пакет.',
    ],
    orderRef: ['Your reference for the order', 'Ваш номер заявки'],
    checking: ['Checking…', 'Проверка…'],
    notKept: [
      'The files were not sent: nothing was submitted. The console does not answer, or a file has changed since it was dropped. Submit again, or drop it again.',
      'Файлы не отправлены: ничего не подано. Консоль не отвечает, или файл изменился с тех пор, как его перетащили. Подайте снова или перетащите файл снова.',
    ],
    wanted: (files: string) => [
      `What was typed is still here. Drop these files again: ${files}.`,
      `Набранное сохранено. Перетащите снова эти файлы: ${files}.`,
    ],
    files: ['file|files', 'файл|файла|файлов'],
    reading: ['Reading the files…', 'Чтение файлов…'],
    fine: ['The package has no problem.', 'Замечаний к пакету нет.'],
    problems: ['problem|problems', 'замечание|замечания|замечаний'],
    several: (folders: string) => [
      `There are several packages in this folder, such as ${folders}. Nothing was taken. Drop the folder of one of them.`,
      `В этой папке несколько пакетов, например ${folders}. Ничего не взято. Перетащите папку одного из них.`,
    ],
    unnamed: ['not named in order.json: it is not uploaded', 'не назван в order.json: не загружается'],
    does: [
      'Submitting starts the order. Once it is sent to the bank, it cannot be withdrawn here.',
      'Подача начинает заявку. Отправленную в банк заявку отсюда отозвать нельзя.',
    ],
    submit: (orderRef: string) => [`Submit order ${orderRef}`, `Подать заявку ${orderRef}`],
    submitted: (orderRef: string) => [`Order ${orderRef} is submitted.`, `Заявка ${orderRef} подана.`],
    act: ['Submit', 'Подать'],
    folder: ['Folder', 'Папка'],
    noFolder: ['none: files were dropped', 'нет: перетащены файлы'],
    later: ['added or changed here', 'добавлен или изменён здесь'],
    uploading: (name: string) => [`Uploading ${name}`, `Загрузка ${name}`],
    waiting: ['Uploaded. Waiting for the answer…', 'Загружено. Ждём ответа…'],
    leave: [
      'The package is not submitted. Leave this page, and drop the package again later?',
      'Пакет не подан. Уйти со страницы, а пакет перетащить позже снова?',
    ],
    again: ['To correct: the package of', 'На исправление: пакет заявки'],
    alike: (orders: string) => [
      `There are orders of the same company and sum in the last two weeks: ${orders}. Is this another loan?`,
      `За две недели уже есть заявки той же компании на ту же сумму: ${orders}. Это другой кредит?`,
    ],
    taken: (orderRef: string) => [
      `There is an order ${orderRef} already. Choose another reference.`,
      `Заявка ${orderRef} уже есть. Возьмите другой номер.`,
    ],
    another: ['Another package', 'Другой пакет'],
  },
} satisfies Said;
