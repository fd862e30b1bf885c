/** A sentence of ours, and what it says in Russian of what it names. */
type Sentence = [said: RegExp, russian: string | ((...found: string[]) => string)];

const KINDS: [said: string | RegExp, russian: string][] = [
  ['a string in quotes', 'строка в кавычках'],
  ['a number without quotes', 'число без кавычек'],
  ['a whole number without quotes', 'целое число без кавычек'],
  ['an array [ … ]', 'массив [ … ]'],
  ['an object { … }', 'объект { … }'],
  ['a date such as', 'дата вида'],
  ['a time such as', 'время вида'],
  ['an e-mail address', 'адрес электронной почты'],
  ['an address such as', 'адрес вида'],
  ['a value of the format', 'значение в формате'],
  ['a UUID', 'UUID'],
  [/(\d+) to (\d+) digits/g, 'запись из $1–$2 цифр'],
  [/(\d+) digits/g, 'запись из $1 цифр'],
  [/one of (\d+) more/g, 'ещё одно из $1'],
  [/ or /g, ' или '],
];
/** A value that is to be written, or a name. */
const STRINGS = /"(?:[^"\\]|\\.)*"/g;
const QUOTATION = / ?The schema says of it: "(.+)"\.$/s;

const kinds = (wanted: string) =>
  KINDS.reduce((text, [said, russian]) => text.replaceAll(said as RegExp, russian), wanted);

const THINGS: Record<string, string> = { characters: 'знаков', elements: 'элементов', properties: 'свойств' };

/** Of a value in order.json. */
const VALUES: Sentence[] = [
  [/It is not a known property\./, 'Такого свойства нет.'],
  [/("\d+") is not a known property\./, 'Свойства $1 нет.'],
  [/Remove it, or correct its spelling\./, 'Удалите или исправьте написание.'],
  [/Rename it to (.+?), or remove it\./, 'Переименуйте в $1 или удалите.'],
  [/It is missing, and (.+?) needs it\./, 'Отсутствует, а без этого нельзя указать $1.'],
  [/It is missing\./, 'Отсутствует.'],
  [/Add it as (.+?)\.(?=$| )/, (_said, wanted = '') => `Добавьте: ${kinds(wanted)}.`],
  [/Add it\./, 'Добавьте.'],
  [/It has none of these: (.+?)\.(?=$| )/, (_said, names = '') => `Нет ни одного из: ${kinds(names)}.`],
  [/Add one of them\./, 'Добавьте одно из них.'],
  [/The value is not allowed\./, 'Такое значение не допускается.'],
  [/It is empty\./, 'Пусто.'],
  [/Fill it in\./, 'Заполните.'],
  [/It is longer than (\d+)\./, 'Длина больше $1.'],
  [/Shorten it\./, 'Сократите.'],
  [/Add more\./, 'Добавьте.'],
  [/It is less than (\S+)\.(?=$| )/, 'Меньше $1.'],
  [/It is more than (\S+)\.(?=$| )/, 'Больше $1.'],
  [/It is not more than (\S+)\.(?=$| )/, 'Не больше $1.'],
  [/It is not less than (\S+)\.(?=$| )/, 'Не меньше $1.'],
  [/Write (\S+) or more\./, 'Нужно не меньше $1.'],
  [/Write (\S+) or less\./, 'Нужно не больше $1.'],
  [/Write more than (\S+)\.(?=$| )/, 'Нужно больше $1.'],
  [/Write less than (\S+)\.(?=$| )/, 'Нужно меньше $1.'],
  [/It is not a multiple of (\S+)\.(?=$| )/, 'Не кратно $1.'],
  [/Round it\./, 'Округлите.'],
  [
    /It has too (few|many) (\w+): the (?:least|most) is (\d+)\./,
    (_said, few, things = '', limit) =>
      `Слишком ${few === 'few' ? 'мало' : 'много'} ${THINGS[things]}: нужно не ${few === 'few' ? 'меньше' : 'больше'} ${limit}.`,
  ],
  [/Its elements (\S+) and (\S+) are the same\./, 'Элементы $1 и $2 одинаковы.'],
  [/Remove one of them\./, 'Удалите один из них.'],
  [/It does not have the form that is asked for\./, 'Записано не в том виде, который нужен.'],
  [/Correct it\. The pattern is (.+) here\./, 'Исправьте. Образец: $1'],
  [/A property cannot have this name\./, 'Свойство не может так называться.'],
  [/Rename or remove it\./, 'Переименуйте или удалите.'],
  [/It is not allowed here\./, 'Здесь этого быть не должно.'],
  [
    /The number of elements with .+ not right: the least is (\d+)(?:, the most is (\d+))?\./,
    (_said, least, most) =>
      `Элементов нужного вида должно быть не меньше ${least}${most === undefined ? '' : ` и не больше ${most}`}.`,
  ],
  [/It has a form that is not allowed here\./, 'Такой вид здесь не допускается.'],
  [/Remove it\./, 'Удалите.'],
  [/It fits none of the forms that are allowed here\./, 'Не подходит ни под один из допустимых видов.'],
  [/It fits more than one of the forms that are allowed here\./, 'Подходит сразу под несколько допустимых видов.'],
  [/The value is not valid here\./, 'Такое значение здесь не годится.'],
  [/Compare it with (\S+)\.(?=$| )/, 'Сравните с $1.'],
  [
    /Correct it\. The stage's schema of the order data says what is allowed\./,
    'Исправьте. Что допускается, говорит схема данных заявки для этой стадии.',
  ],
  [/It is not a valid JSONata expression\./, 'Это не выражение JSONata.'],
  [/Correct it\. (\S+) shows where the error is\./, 'Исправьте. Где ошибка, покажет $1.'],
  [/Write (\S+), or remove it\./, 'Напишите $1 или удалите.'],
  [/It is not true or false\./, 'Нужно true или false.'],
  [/It is not (.+?)\.(?=$| )/, (_said, wanted = '') => `Это не ${kinds(wanted)}.`],
  [/Write (.+?)\.$/, (_said, wanted = '') => `Напишите так: ${kinds(wanted)}.`],
];

/** Of a package and its files. */
const FILES: Sentence[] = [
  [/(\S+) is not UTF-8 text\./, 'Файл $1 не в кодировке UTF-8.'],
  [/Save it with the encoding UTF-8\./, 'Сохраните его в UTF-8.'],
  [/(\S+) is nested deeper than (\d+) levels\./, 'В файле $1 больше $2 уровней вложенности.'],
  [/Flatten its arrays and objects\./, 'Уменьшите вложенность.'],
  [/(\S+) has more than (\d+) values\./, 'В файле $1 больше $2 значений.'],
  [/Upload data beside it, not in it\./, 'Загрузите данные рядом с ним, а не в нём.'],
  [
    /(\S+) is not valid JSON: there is an error (?:at position )?(.+?)\.(?=$| )/,
    'Файл $1 не JSON: ошибка в позиции $2.',
  ],
  [/(\S+) is not valid JSON, or is incomplete\./, 'Файл $1 не JSON или обрывается.'],
  [/Fix the JSON\. .+ the error is\./, 'Исправьте. Место ошибки покажет редактор, который проверяет JSON.'],
  [/(\S+) is larger than (\d+) bytes\./, 'Файл $1 больше $2 байт.'],
  [/Upload files beside it, not in it\./, 'Загрузите файлы рядом с ним, а не в нём.'],
  [/The stage's setting (\S+) does not allow more\./, 'Больше не позволяет настройка стадии $1.'],
  [
    /The folder name is not a valid orderRef(, so nothing was done with the file)?\./,
    (_said, file) =>
      `Папка названа так, как заявка называться не может${file ? ', и с файлом ничего не сделано' : ''}.`,
  ],
  [
    /Use 1-64 of the characters (.+?) for it, .+? digit\./,
    'Назовите её так: от 1 до 64 знаков $1, начиная с буквы или цифры.',
  ],
  [/Upload the (?:whole )?package to a folder with such a name\./, 'Загрузите весь пакет в папку с таким именем.'],
  [/Give another reference \(--ref\), such as (\S+)\.(?=$| )/, 'Укажите другой номер, например $1.'],
  [/The file name (.+?) is not allowed\./, 'Файл не может называться $1.'],
  [
    /Use documents\/<name> with the characters (.+?) only; .+? digit\./,
    'Назовите его documents/<имя> знаками $1, начиная с буквы или цифры.',
  ],
  [/Rename the uploaded file, and correct the name here\./, 'Переименуйте файл и исправьте имя здесь.'],
  [/(\S+) would do\.$/, 'Годится $1.'],
  [/The file (.+?) is not in the package\./, 'Файла $1 в пакете нет.'],
  [/It has (\S+): use one name for both\./, 'Есть $1: назовите одинаково.'],
  [/Add it: in intake it is (.+?)\.(?=$| )/, 'Добавьте его: в приёмном бакете это $1.'],
  [/The file (.+?) is empty\./, 'Файл $1 пуст.'],
  [/Upload it again\.(?=$)/, 'Загрузите его снова.'],
  [/The file (.+?) has (\d+) bytes; at most (\d+) are allowed\./, 'В файле $1 $2 байт, а можно не больше $3.'],
  [/Upload a smaller one\./, 'Загрузите файл поменьше.'],
  [/The package has (\d+) bytes; at most (\d+) are allowed\./, 'В пакете $1 байт, а можно не больше $2.'],
  [/Send smaller documents, or fewer\./, 'Пришлите меньше документов или уменьшите их.'],
  [
    /It has (\d+) (\w+); at most (\d+) are allowed\./,
    (_said, count, things = '', most) => `Слишком много ${THINGS[things]} (${count}): нужно не больше ${most}.`,
  ],
  [/Send fewer documents\./, 'Пришлите меньше документов.'],
  [/Add the order data\./, 'Добавьте данные заявки.'],
  [/List at least one document\./, 'Назовите хотя бы один документ.'],
  [/Add a JSONata expression, .+ (\S+)\.(?=$| )/, 'Добавьте выражение JSONata или напишите в choose $1.'],
  [/This stage has no KMS key to sign with\./, 'У этой стадии нет ключа KMS для подписи.'],
  [/The order with .+ Its status is (\S+)\./, 'Заявка с этим номером начата более ранним order.json. Её статус $1.'],
  [
    /The order keeps its order\.json\. .+ under a new orderRef\./,
    'У заявки остаётся её order.json. Заменённый документ уйдёт в новой версии, если ещё не отправлен. Другую заявку подайте под новым номером.',
  ],
];

/** Of an upload that belongs to no order. */
const UPLOADS: Sentence[] = [
  [/The order\.json that started .+ unchanged\./, 'В order.json этой заявки файл не назван: он никуда не уйдёт.'],
  [
    /If it replaces a document of the order, .+ another orderRef\./,
    'Если он заменяет документ заявки, загрузите его под именем того документа. Если заявке нужен ещё документ, подайте новый пакет под другим номером.',
  ],
  [/The order is over and .+ the file\./, 'Заявка закончена, её файлы удалены, и с файлом ничего не сделано.'],
  [/Remove it, with .+ new orderRef\./, 'Удалите его со всеми версиями. Другую заявку подайте под новым номером.'],
  [/There is no order with .+ not used\./, 'Заявки с таким номером нет: подпись не проверена и не используется.'],
  [/Take the address .+ there\./, 'Возьмите адрес каждой подписи из to-sign.json её заявки и загрузите туда.'],
  [
    /The (?:first )?folder is not .+ "(\S+)", .+ the file\./,
    'Папка должна называться точно "$1"; с файлом ничего не сделано.',
  ],
  [/The file is not below .+ with it\./, 'Файл не внутри orders/, поэтому не входит ни в одну заявку.'],
  [/The file is in no folder of an order, .+ with it\./, 'Файл не лежит в папке заявки, и с ним ничего не сделано.'],
  [/A package is (orders\S+) with its documents in (\S+)\.(?=$| )/, 'Пакет — это $1 и документы в $2.'],
  [/Upload it again in the right place, or remove it\./, 'Загрузите его в нужное место или удалите.'],
  [/Upload the file to (\S+)\.(?=$| )/, 'Загрузите файл в $1.'],
  [
    /The file looks like (\S+), but it (?:lies|is) .+ or changed\./,
    'Файл похож на $1, но назван не точно так или лежит не там. С ним ничего не сделано, ни одна заявка не начата и не изменена.',
  ],
  [/Upload it as (\S+), in small Latin letters\./, 'Загрузите его как $1, строчными латинскими буквами.'],
  [/No order has a file .+ with it\./, 'У заявок нет такого файла или такой папки: ничего не сделано.'],
  [
    /A document lies in (\S+) .+ remove it\./,
    'Документ лежит в $1 и назван в order.json. Загрузите его туда или удалите.',
  ],
  [/A file of an order cannot .+ with it\./, 'Файл заявки не может так называться, и с ним ничего не сделано.'],
  [/Name a signature (\S+), as to-sign\.json says\./, 'Назовите подпись $1, как сказано в to-sign.json.'],
  [
    /The name of a document has at most (\d+) of the characters (.+) and \/ for folders, .+ order\.json\./,
    'В имени документа не больше $1 знаков $2 и / для папок, каждая часть начинается с буквы или цифры. Переименуйте его и назовите так в order.json.',
  ],
];

/** What a check of packages and uploads says, in Russian. The longer sentences come first. */
export function problemInRussian(text: string): string {
  const [ours = '', quotation] = text.split(QUOTATION);
  // What is quoted stays as it is: a number stands for it until the words around it are Russian.
  const values = ours.match(STRINGS) ?? [];
  let count = 0;
  const words = ours.replace(STRINGS, () => `"${count++}"`);
  const russian = [...FILES, ...UPLOADS, ...VALUES].reduce(
    (translated, [said, inRussian]) => translated.replace(said, inRussian as string),
    words,
  );
  const whole = russian.replace(/"(\d+)"/g, (place, at) => values[at] ?? place);
  return quotation === undefined ? whole : `${whole} В схеме сказано: «${quotation}».`.trimStart();
}
