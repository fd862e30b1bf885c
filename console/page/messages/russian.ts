import { say } from '../../../core/messages/say.ts';
import type { Catalogue, Kind, Wanted } from '../../api.ts';
import { everywhere } from './everywhere.ts';
import { order } from './order.ts';
import { inOne, wordsFor } from './said.ts';
import { DOCUMENT_STEP, SIGNATURES } from './signatures.ts';

const STATUSES = inOne(everywhere.statuses, 1);

const KINDS: Record<Kind, string> = {
  string: 'строка в кавычках',
  number: 'число без кавычек',
  integer: 'целое число без кавычек',
  boolean: 'true или false',
  null: 'null',
  array: 'массив [ … ]',
  object: 'объект { … }',
  date: 'дата вида 2026-01-31',
  'date-time': 'время вида 2026-01-31T09:00:00Z',
  email: 'адрес электронной почты',
  uri: 'адрес вида https://bank.example',
  uuid: 'UUID',
};

function oneOf({ kinds = [], values = [], more = 0 }: Wanted): string {
  const written = kinds.map((kind) => KINDS[kind as Kind] ?? `значение в формате ${kind}`);
  return [...written, ...values, ...(more > 0 ? [`ещё одно из ${more}`] : [])].join(' или ');
}

const THINGS = { characters: 'знаков', elements: 'элементов', properties: 'свойств' };
const UNREADABLE = {
  archived: 'он в архивном классе S3',
  ownKey: 'он зашифрован своим ключом отправителя (SSE-C)',
  otherKey: 'он зашифрован ключом KMS, который стадии недоступен',
  link: 'это ссылка, или его папка — ссылка',
};
const NAME = 'начиная с буквы или цифры';
const CORRECT = 'Исправьте. Что допускается, говорит схема данных заявки для этой стадии.';
const PLACE =
  'Пакет — это orders/<orderRef>/order.json и документы в orders/<orderRef>/documents/. Загрузите файл в нужное место или удалите.';
const TAKE = 'Выберите предложение AVAILABLE из offers.json в staging.';
const FIX = `Архив не записан. Исправьте (docs/evidence.md, «Who may sign») или отметьте «${order.actions.evidence.unsigned[1]}».`;

const aws = ({ where, laptop }: { where: string; laptop?: string | undefined }) =>
  laptop === undefined ? where : `AWS этого ноутбука, ${laptop}`;
/** What to do about a signature that cannot be used. */
export const VALID_ONE = 'Подпишите документ снова и сдайте эту подпись вместо неё.';

/** The server's English texts, in Russian. */
export const RUSSIAN: Catalogue = {
  ...SIGNATURES,
  missing: (wanted) => `Отсутствует.\n${oneOf(wanted) ? `Напишите так: ${oneOf(wanted)}.` : 'Добавьте.'}`,
  wrongKind: (wanted) => `Требуется ${oneOf(wanted)}.\nНапишите так: ${oneOf(wanted)}.`,
  notAllowed: (wanted) => `Такое значение не допускается.\nНапишите так: ${oneOf(wanted)}.`,
  noneOf: (wanted) => `Нет ни одного из: ${oneOf(wanted)}.\nДобавьте одно из них.`,
  neededBy: ({ property }) => `Отсутствует, а без этого нельзя указать ${property}.\nДобавьте.`,
  unknownProperty: ({ near }) =>
    `Такого свойства нет.\n${near === undefined ? 'Удалите или исправьте написание.' : `Переименуйте в ${near} или удалите.`}`,
  empty: 'Пусто.\nЗаполните.',
  tooFew: ({ things, least }) => `Слишком мало ${THINGS[things]}: нужно не меньше ${least}.\nДобавьте.`,
  tooMany: ({ things, most, count }) =>
    `Слишком много ${THINGS[things]}${count === undefined ? '' : ` (${count})`}: нужно не больше ${most}.\nСократите.`,
  below: ({ least }) => `Меньше ${least}.\nНужно не меньше ${least}.`,
  above: ({ most }) => `Больше ${most}.\nНужно не больше ${most}.`,
  notMoreThan: ({ than }) => `Не больше ${than}.\nНужно больше ${than}.`,
  notLessThan: ({ than }) => `Не меньше ${than}.\nНужно меньше ${than}.`,
  notMultiple: ({ of }) => `Не кратно ${of}.\nОкруглите.`,
  contains: ({ least, most }) =>
    `Элементов нужного вида должно быть не меньше ${least}${most === undefined ? '' : ` и не больше ${most}`}.\n${CORRECT}`,
  sameElements: ({ one, other }) => `Элементы [${one}] и [${other}] одинаковы.\nУдалите один из них.`,
  notDigits: ({ digits }) => `Это не ${digits.join('–')} цифр.\nНапишите ${digits.join('–')} цифр.`,
  pattern: ({ pattern }) => `Записано не в том виде, который нужен.\nИсправьте. Образец: ${pattern}`,
  propertyName: 'Свойство не может так называться.\nПереименуйте или удалите.',
  notHere: 'Здесь этого быть не должно.\nУдалите.',
  wrongForm: `Такой вид здесь не допускается.\n${CORRECT}`,
  noForm: `Не подходит ни под один из допустимых видов.\n${CORRECT}`,
  severalForms: `Подходит сразу под несколько допустимых видов.\n${CORRECT}`,
  invalid: 'Такое значение здесь не годится.\nСравните с docs/order-package.md.',
  invalidData: `Такое значение здесь не годится.\n${CORRECT}`,
  schemaSays: ({ hint }) => ` В схеме сказано: «${hint}».`,
  noOrderData: 'Пусто.\nДобавьте данные заявки.',
  noDocuments: 'Пусто.\nНазовите хотя бы один документ.',
  noRule: 'Отсутствует.\nДобавьте выражение JSONata или напишите в choose "manual".',
  notJsonata: 'Это не выражение JSONata.\nИсправьте. Где ошибка, покажет https://try.jsonata.org.',
  noKey: 'У этой стадии нет ключа KMS для подписи.\nНапишите "external" или удалите.',

  notUtf8: ({ name }) => `Файл ${name} не в кодировке UTF-8.\nСохраните его в UTF-8.`,
  tooDeep: ({ name, most }) => `В файле ${name} больше ${most} уровней вложенности.\nУменьшите вложенность.`,
  tooManyValues: ({ name, most }) => `В файле ${name} больше ${most} значений.\nЗагрузите данные рядом, а не в нём.`,
  notJson: ({ name, position }) =>
    `Файл ${name} не JSON${position === undefined ? ' или обрывается' : `: ошибка в позиции ${position}`}.\nИсправьте. Место ошибки покажет редактор, который проверяет JSON.`,
  orderTooLarge: ({ most }) => `Файл order.json больше ${most} байт.\nЗагрузите файлы рядом с ним, а не в нём.`,
  folderName: ({ wouldDo }) =>
    `Папка названа так, как заявка называться не может.\n${wouldDo === undefined ? `Назовите её так: от 1 до 64 знаков A-Z a-z 0-9 . _ -, ${NAME}. Загрузите весь пакет в папку с таким именем.` : `Укажите другой номер, например ${wouldDo}.`}`,
  fileName: ({ file, wouldDo }) =>
    `Файл не может называться ${file}.\nНазовите его documents/<имя> знаками A-Z a-z 0-9 . _ -, ${NAME}. Переименуйте файл и исправьте имя здесь.${wouldDo === undefined ? '' : ` Годится ${wouldDo}.`}`,
  noFile: ({ file, key, near }) =>
    `Файла ${file} в пакете нет.\n${near === undefined ? `Добавьте его: в приёмном бакете это ${key}.` : `Есть ${near}: назовите одинаково.`}`,
  fileEmpty: ({ file }) => `Файл ${file} пуст.\nЗагрузите его снова.`,
  fileTooLarge: ({ file, size, most }) =>
    `В файле ${file} ${size} байт, а можно не больше ${most}.\nЗагрузите файл поменьше. Больше не позволяет настройка стадии limits.documentBytes.`,
  unreadable: ({ name, why }) =>
    `Файл ${name} нельзя прочитать: ${UNREADABLE[why]}.\n${why === 'link' ? 'Положите туда сам файл.' : 'Загрузите его снова с классом хранения и шифрованием бакета.'}`,
  packageTooLarge: ({ size, most }) =>
    `В пакете ${size} байт, а можно не больше ${most}.\nПришлите меньше документов или уменьшите их.`,
  startedBefore: ({ status }) =>
    `Заявка с этим номером начата более ранним order.json. Её статус ${status}.\nУ заявки остаётся её order.json. Заменённый документ уйдёт в новой версии, если ещё не отправлен. Другую заявку подайте под новым номером.`,

  notInPackage:
    'В order.json этой заявки файл не назван: он никуда не уйдёт.\nЕсли он заменяет документ заявки, загрузите его под именем того документа. Если заявке нужен ещё документ, подайте новый пакет под другим номером.',
  removedOrder:
    'Заявка закончена, её файлы удалены, и с файлом ничего не сделано.\nУдалите его со всеми версиями. Другую заявку подайте под новым номером.',
  noOrder:
    'Заявки с таким номером нет: подпись не проверена и не используется.\nВозьмите адрес каждой подписи из to-sign.json её заявки и загрузите туда.',
  noFolder: `Файл не лежит в папке заявки, и с ним ничего не сделано.\n${PLACE}`,
  outsideOrders: `Файл не внутри orders/, поэтому не входит ни в одну заявку.\n${PLACE}`,
  ordersMisspelled: `Первая папка должна называться точно "orders"; с файлом ничего не сделано.\n${PLACE}`,
  folderMisspelled: ({ name, folder }) =>
    `Папка должна называться точно "${name}"; с файлом ничего не сделано.\nЗагрузите файл в ${folder}${name}/.`,
  looksLike: ({ name, folder, isDeep }) =>
    `Файл похож на ${name}, но ${isDeep ? 'лежит слишком глубоко' : 'назван не точно так'}. С ним ничего не сделано, ни одна заявка не начата и не изменена.\nЗагрузите его как ${folder}${name}, строчными латинскими буквами.`,
  unknownFile: ({ folder }) =>
    `У заявок нет такого файла или такой папки: ничего не сделано.\nДокумент лежит в ${folder}documents/ и назван в order.json. Загрузите его туда или удалите.`,
  signatureName: ({ folder }) =>
    `Файл заявки не может так называться, и с ним ничего не сделано.\nНазовите подпись ${folder}signatures/<fileId>.sig, как сказано в to-sign.json.`,
  documentName: ({ most }) =>
    `Файл заявки не может так называться, и с ним ничего не сделано.\nВ имени документа не больше ${most} знаков A-Z a-z 0-9 . _ - и / для папок, каждая часть начинается с буквы или цифры. Переименуйте его и назовите так в order.json.`,

  decisionTooLarge: ({ most }) => `Файл decision.json больше ${most} байт.\nПишите в него только решение.`,
  repeatedProperty: 'Свойство встречается дважды.\nНазовите каждое свойство один раз.',
  unseen:
    'Пусто, или есть знаки, что не видны или меняют направление текста.\nНапишите видимыми знаками в одну строку.',
  offerTwice: 'Это предложение выбрано дважды.\nУдалите одно из двух.',
  offerConfirmed: ({ code }) => `Уже подтверждено с кодом ${code}.\nВыберите этот код или не называйте предложение.`,
  noOffer: `У заявки нет этого предложения.\n${TAKE}`,
  offerNotAvailable: `Это предложение не AVAILABLE.\n${TAKE}`,
  noOption: 'У предложения нет такого варианта.\nВыберите код из creditOptions предложения в offers.json в staging.',
  orderFinal: ({ status }) => `Заявка окончена: ${status}.\nРешений она больше не принимает.`,

  signatureEmpty: `Файл пуст.\n${VALID_ONE}`,
  signatureTooLarge: ({ size, most }) =>
    `В файле ${size} байт, а можно не больше ${most}: настройка стадии signing.largestSignatureBytes.\n${VALID_ONE}`,
  signerNotNamed: `Настройка стадии signing.signers не называет подписанта. Пусть подпишет тот, кого она называет.\n${VALID_ONE}`,
  issuerLater: 'Кто выдал сертификат подписанта, стадия ещё проверит.',
  signatureRefused: ({ httpStatus }) =>
    `Сервис отклонил эту подпись (${httpStatus}).\n${VALID_ONE} Затем оператор должен повторить заявку.`,
  archiveUnreadable: 'Не распаковать: пусто, повреждено, зашифровано, больше 1000 файлов или 64 МиБ.\nУпакуйте заново.',
  leftOut: 'Это не подпись, файл пропущен.',
  notAsked: 'Заявка его не запрашивает.',
  signsNone: `Это подпись ни одного из этих документов.\n${DOCUMENT_STEP}`,
  notToSign: 'Такой документ заявка подписать не просит.\nВозьмите имена из to-sign.json.',
  notASignature: 'Так подпись называться не может.\nНазовите её signatures/<fileId>.sig, как сказано в to-sign.json.',
  kmsRefuses: ({ name }) => `KMS не даёт использовать ключ (${name}).`,
  kmsSilent: 'Ответ KMS неполон.',
  kmsKeyType: ({ type }) => `Ключ KMS типа ${type} не может подписывать.`,
  noChain: ({ chain }) => `В приёмном бакете нет цепочки сертификатов ${chain}.`,
  chainOfOther: ({ chain }) => `В цепочке ${chain} нет сертификата ключа KMS.`,
  chainUnreadable: ({ chain }) => `${chain} в приёмном бакете не читается как сертификаты PEM.`,

  consoleClosed:
    'Эта консоль не открыта в этом браузере. Откройте адрес, который последним напечатан в терминале: каждый действует один раз.',
  notOfThePage: 'Такого запроса страница не делает.',
  noAddress: 'По этому адресу в консоли ничего нет.',
  tooLarge: 'Отправлено больше, чем принимает консоль: ничего не сделано.',
  archiveGone: 'Этот архив уже забрали, или его нет: запишите его снова.',
  noOrderHere: ({ orderRef }) =>
    `Заявки ${orderRef} здесь нет: под этим номером ничего не загружено или пакет отклонён. Что отклонено, показывает страница «Отклонённые».`,
  nothingToSign: ({ orderRef, status }) => `Заявка ${orderRef}: ${wordsFor(STATUSES, status)}. Подписывать нечего.`,
  stillStaged: ({ orderRef }) =>
    `У заявки ${orderRef} подписывать пока нечего: документы готовятся. Повторите через минуту.`,
  nothingUnsigned: 'Документов без подписи нет: скачивать нечего.',
  keyUnusable: ({ why }) => `${say(RUSSIAN, why) ?? why.problem} ${FIX}`,
  keyNotAllowed: `Нет прав на ключ стадии для доказательств. ${FIX}`,
  changed: ({ key }) => `Размер или SHA-256 файла ${key} не как в записи: архив не записан. Узнайте, кто его изменил.`,
  removed: ({ key }) => `${key} удалён во время чтения: архив не записан. Повторите.`,
  notWritten: ({ code }) => `Архив не удаётся сохранить на этой машине (${code}): архив не записан.`,
  accessDenied: ({ permission, ...place }) =>
    `Доступ запрещён (${aws(place)}): у учётных данных нет ${permission === undefined ? 'нужного права' : `права ${permission}`}. Все права названы в docs/operations.md.`,
  credentialsRefused: ({ name, ...place }) => `Учётные данные не приняты (${aws(place)}, ${name}). Войдите снова.`,
  timedOut: (place) => `Нет ответа вовремя: ${aws(place)}. Повторите.`,
  unreachable: ({ code, ...place }) =>
    `Нет связи: ${aws(place)} (${code}). ${place.laptop === undefined ? 'Проверьте сеть.' : 'Запустите «loan-orders local» или назовите адрес в --endpoint.'}`,
  noCredentials: 'Нет учётных данных AWS. Войдите в AWS (AWS_PROFILE).',
};
