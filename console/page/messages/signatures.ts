import { say } from '../../../core/messages/say.ts';
import type { Limited, SignatureReasons } from '../../api.ts';

const LIMITED: Record<Limited, string> = {
  levels: 'уровней вложенности',
  signers: 'подписантов',
  certificates: 'сертификатов',
  attributes: 'атрибутов',
  'bytes in an object identifier': 'байт в идентификаторе объекта',
  'bytes in a certificate': 'байт в сертификате',
  'bytes in the name of an issuer': 'байт в имени издателя',
  'bytes in signed attributes': 'байт в подписанных атрибутах',
};

const CERTIFICATE_STEP = 'Подпишите действующим сертификатом, предназначенным для подписи документов.';
export const DOCUMENT_STEP = 'Скачайте документ снова и подпишите этот файл без изменений (OpenSSL: с -binary).';
const ALGORITHM_STEP = 'Подпишите с RSA, ECDSA или ГОСТ Р 34.10-2012 и с SHA-256, SHA-384, SHA-512 или «Стрибог».';
const LATER_STEP = 'Загрузите её снова позже. Если её снова отклонят, спросите операторов стадии.';

const unreadable = (why: string) => `Не читается как подпись CMS: ${why}.`;
const certificate = (why: string) => `Сертификат подписанта не годится: ${why}.\n${CERTIFICATE_STEP}`;
const key = (why: string) => `Ключ сертификата подписанта не годится: ${why}.\n${ALGORITHM_STEP}`;

/** What is wrong with a signature, or was not checked, in Russian. */
export const SIGNATURES: SignatureReasons = {
  'FORMAT_FAILURE.encoding': unreadable('это не DER, BER, PEM или Base64'),
  'FORMAT_FAILURE.looksLike': ({ what }) => unreadable(`это файл формата ${what}, а не CMS`),
  'FORMAT_FAILURE.blocks': unreadable('в ней больше одного блока PEM'),
  'FORMAT_FAILURE.type': unreadable('это CMS, но не SignedData'),
  'FORMAT_FAILURE.damaged': unreadable('файл обрывается или повреждён'),
  'FORMAT_FAILURE.longer': ({ bytes }) => unreadable(`за её концом есть лишние байты: ${bytes}`),
  'FORMAT_FAILURE.limit': ({ most, of }) => unreadable(`в ней больше ${most} ${LIMITED[of]}`),
  'FORMAT_FAILURE.tag': unreadable('в ней есть тег, которого в CMS не бывает'),
  'FORMAT_FAILURE.elements': unreadable('в ней есть элементы, которых в SignedData не бывает'),
  'FORMAT_FAILURE.attributeTwice': unreadable('подписанный атрибут указан дважды'),
  'FORMAT_FAILURE.certificate': unreadable('один из её сертификатов не читается'),
  NOT_YET_VALID: ({ from }) => certificate(`он действует только с ${from}`),
  EXPIRED: ({ at }) => certificate(`он истёк ${at}`),
  'CHAIN_CONSTRAINTS_FAILURE.dates': certificate('его даты не читаются'),
  'CHAIN_CONSTRAINTS_FAILURE.keyUsage': certificate('его ключ не предназначен для подписи документов'),
  'CHAIN_CONSTRAINTS_FAILURE.certificate': (facts) =>
    `Сертификат ${facts.certificate} не годится из-за его ${facts.why}.\n${CERTIFICATE_STEP}`,
  'CRYPTO_CONSTRAINTS_FAILURE.parameterSet': key('его набора параметров нет в RFC 7836 и RFC 4357'),
  'CRYPTO_CONSTRAINTS_FAILURE.otherDigest': key('в его параметрах указана другая хеш-функция'),
  'CRYPTO_CONSTRAINTS_FAILURE.keyBytes': ({ bytes }) => key(`его длина не ${bytes} байт`),
  'CRYPTO_CONSTRAINTS_FAILURE.otherLength': key('его набор параметров — для ключей другой длины'),
  'CRYPTO_CONSTRAINTS_FAILURE.point': key('его точка не лежит на кривой или имеет неверный порядок'),
  'FORMAT_FAILURE.attached': 'Подпись содержит сам документ.\nСделайте откреплённую подпись.',
  'FORMAT_FAILURE.noSigner': 'В файле сертификаты, а подписи нет.\nСдайте откреплённую подпись документа.',
  HASH_FAILURE: ({ found, expected }) =>
    `Это подпись не этого документа. Подписан хеш ${found}, а у документа ${expected}.\n${DOCUMENT_STEP}`,
  'HASH_FAILURE.other': ({ document, isEarlier, form, order }) => {
    const what = form === undefined ? isEarlier && 'прежней версии ' : `другого вида (${form}) `;
    const which = document === undefined ? 'этого документа' : `документа ${document}`;
    return `Это подпись ${what || ''}${order === undefined ? which : `документа заявки ${order}`}.\n${DOCUMENT_STEP}`;
  },
  'HASH_FAILURE.timeStamp': 'Штамп времени относится к другой подписи.',
  SIG_CRYPTO_FAILURE: `Подпись не соответствует сертификату подписанта: она изменена, сделана другим ключом или относится к другому документу.\n${DOCUMENT_STEP}`,
  'SIG_CRYPTO_FAILURE.keyType': 'Алгоритм подписи не соответствует ключу сертификата подписанта.',
  'SIG_CRYPTO_FAILURE.timeStamp': 'Штамп времени подписи недействителен: он изменён.',
  'NO_POE.unreadable': 'Штамп времени подписи не читается.',
  'NO_POE.unchecked': 'Штамп времени подписи нельзя проверить.',
  NO_SIGNING_CERTIFICATE_FOUND: 'В подписи нет сертификата подписанта.\nПодпишите, включив сертификат.',
  NO_CERTIFICATE_CHAIN_FOUND:
    'Сертификат подписанта выдан не тем удостоверяющим центром, которому доверяет эта стадия.\nВозьмите другой и включите промежуточные сертификаты.',
  'NO_CERTIFICATE_CHAIN_FOUND.unchecked': 'Кто выдал сертификат подписанта, не проверено: центры не заданы.',
  REVOKED: ({ at }) => `Сертификат подписанта отозван ${at}.\n${CERTIFICATE_STEP}`,
  'TRY_LATER.expired': ({ at }) => `Список отзыва удостоверяющего центра подписанта истёк ${at}.\n${LATER_STEP}`,
  'TRY_LATER.noList': `Нет годного списка отзыва или ответа OCSP удостоверяющего центра подписанта.\n${LATER_STEP}`,
  TRY_LATER: ({ why }) => (say(SIGNATURES, why) ?? why.problem).replace(/\n.*|$/, ' Подпись проверят ещё раз позже.'),
  'CRYPTO_CONSTRAINTS_FAILURE.digest': ({ identifier, name }) =>
    `Хеш-функцию ${name === undefined ? identifier : `${name} (${identifier})`} здесь проверить нельзя.\n${ALGORITHM_STEP}`,
  'CRYPTO_CONSTRAINTS_FAILURE.digestAlgorithm': ({ identifier }) =>
    `В её digestAlgorithm указан алгоритм подписи ${identifier}, а не хеш-функция.\nОбновите программу подписи или возьмите другую.`,
  'CRYPTO_CONSTRAINTS_FAILURE.signature': ({ identifier }) =>
    `Алгоритм подписи ${identifier} или его параметры здесь проверить нельзя.\n${ALGORITHM_STEP}`,
  'SIG_CONSTRAINTS_FAILURE.notAccepted': ({ why }) =>
    (say(SIGNATURES, why) ?? why.problem).replace(/\n|$/, ' Такую подпись эта стадия не принимает.$&'),
  'SIG_CONSTRAINTS_FAILURE.contentType': 'Подписанного атрибута content-type нет, или в нём не тип содержимого.',
  'SIG_CONSTRAINTS_FAILURE.noAttributes': 'В ней нет подписанных атрибутов, хотя тип её содержимого не data.',
  'SIG_CONSTRAINTS_FAILURE.signingCertificate': 'В атрибуте signing-certificate не тот сертификат, что в подписи.',
  'SIG_CONSTRAINTS_FAILURE.messageDigest': 'В подписанных атрибутах нет message-digest.',
  'SIG_CONSTRAINTS_FAILURE.size': ({ size, most }) =>
    `В документе ${size} байт. Подписи ГОСТ проверяются только для документов до ${most} МиБ.\nПодпишите с RSA или ECDSA.`,
  'SIG_CONSTRAINTS_FAILURE.signers': ({ most }) => `В ней больше ${most} подписантов без подписанных атрибутов.`,
};
