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
    unnamed: ['not named in order.json', 'не назван в order.json'],
    notNamed: (files: string) => [
      `order.json does not name ${files}. Name them there, or leave them out.`,
      `В order.json не названо: ${files}. Назовите их там или исключите.`,
    ],
    leaveOut: ['Leave them out', 'Исключить их'],
    nameFile: ['Name it in order.json', 'Назвать в order.json'],
    rename: ['Rename', 'Переименовать'],
    renameTo: (name: string) => [`Rename the file to ${name}`, `Переименовать файл в ${name}`],
    fileName: ['Name of the file', 'Имя файла'],
    remove: ['Remove', 'Убрать'],
    write: ['Write order.json here', 'Заполнить order.json здесь'],
    form: ['Form', 'Форма'],
    text: ['Text', 'Текст'],
    line: (at: number) => [`line ${at}`, `строка ${at}`],
    addElement: ['Add one', 'Добавить'],
    addMember: (name: string) => [`Add ${name}`, `Добавить ${name}`],
    bankSays: (said: string) => [`The bank found: ${said}`, `Банк нашёл: ${said}`],
    ready: ['no problem', 'замечаний нет'],
    twice: [
      'Another of these packages has the same reference. Change one.',
      'У другого из этих пакетов тот же номер. Измените один.',
    ],
    strays: (files: string) => [
      `Left out, because they are in no folder with an order.json: ${files}.`,
      `Не взято, потому что рядом нет order.json: ${files}.`,
    ],
    submitMany: (count: number) => [`Submit ${count} packages`, `Подать пакеты: ${count}`],
    submittedMany: (done: number, all: number) => [
      `${done} of ${all} packages are submitted.`,
      `Подано пакетов: ${done} из ${all}.`,
    ],
    oneOfMany: (at: number, all: number, orderRef: string) => [
      `${at} of ${all}: ${orderRef}`,
      `${at} из ${all}: ${orderRef}`,
    ],
    left: (count: number) => [
      `${count} with problems stay on the page.`,
      `С замечаниями остаются на странице: ${count}.`,
    ],
    others: ['Other packages', 'Другие пакеты'],
    does: [
      'Submitting starts the order. Once it is sent to the bank, it cannot be withdrawn here.',
      'Подача начинает заявку. Отправленную в банк заявку отсюда отозвать нельзя.',
    ],
    submit: (orderRef: string) => [`Submit order ${orderRef}`, `Подать заявку ${orderRef}`],
    submitted: (orderRef: string) => [`Order ${orderRef} is submitted.`, `Заявка ${orderRef} подана.`],
    act: ['Submit', 'Подать'],
    noFolder: ['without a folder', 'без папки'],
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
