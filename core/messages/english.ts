import { type Coded, type CodeOf, say, type Words } from './say.ts';

/** How values of each JSON type and format are written. */
const KINDS = {
  string: 'a string in quotes',
  number: 'a number without quotes',
  integer: 'a whole number without quotes',
  boolean: 'true or false',
  null: 'null',
  array: 'an array [ … ]',
  object: 'an object { … }',
  date: 'a date such as 2026-01-31',
  'date-time': 'a time such as 2026-01-31T09:00:00Z',
  email: 'an e-mail address',
  uri: 'an address such as https://bank.example',
  uuid: 'a UUID',
};
export type Kind = keyof typeof KINDS;

/** The allowed kinds of values, or the allowed values as JSON texts and how many more there are. */
export interface Wanted {
  kinds?: string[];
  values?: string[];
  more?: number;
}

/** Why the bytes of a file that exists are not read. No repeat changes it. */
const UNREADABLE = {
  archived: 'it is in an archive class of S3',
  ownKey: "it is encrypted with the uploader's own key (SSE-C)",
  otherKey: 'it is encrypted with a KMS key that the stage cannot use',
  link: 'it is a link, or in a folder that is one',
};
export type Unreadable = keyof typeof UNREADABLE;

function oneOf({ kinds = [], values = [], more = 0 }: Wanted): string {
  const written = kinds.map((kind) => KINDS[kind as Kind] ?? `a value of the format ${kind}`);
  return [...written, ...values, ...(more > 0 ? [`one of ${more} more`] : [])].join(' or ');
}

const CORRECT = "Correct it. The stage's schema of the order data says what is allowed.";
const TAKE = 'Choose an AVAILABLE offer from offers.json in staging.';
const PLACE = `A package is orders/<orderRef>/order.json with its documents in orders/<orderRef>/documents/. Upload it again in the right place, or remove it.`;

export const VALID_ONE = 'Sign the document again, and hand that one in instead.';

export type Things = 'characters' | 'elements' | 'properties';

/** What is wrong with uploads, and why a KMS key cannot sign. */
export const ENGLISH = {
  missing: (wanted: Wanted) => `It is missing.\n${oneOf(wanted) ? `Write ${oneOf(wanted)}.` : 'Add it.'}`,
  wrongKind: (wanted: Wanted) => `It is not ${oneOf(wanted)}.\nWrite ${oneOf(wanted)}.`,
  notAllowed: (wanted: Wanted) => `The value is not allowed.\nWrite ${oneOf(wanted)}.`,
  noneOf: (wanted: Wanted) => `It has none of these: ${oneOf(wanted)}.\nAdd one of them.`,
  neededBy: ({ property }: { property: string }) => `It is missing, and ${property} needs it.\nAdd it.`,
  unknownProperty: ({ near }: { near?: string | undefined }) =>
    `It is not a known property.\n${near === undefined ? 'Remove it, or correct its spelling.' : `Rename it to ${near}, or remove it.`}`,
  empty: 'It is empty.\nFill it in.',
  tooFew: ({ things, least }: { things: Things; least: number }) =>
    `It has too few ${things}: the least is ${least}.\nAdd more.`,
  tooMany: ({ things, most, count }: { things: Things; most: number; count?: number }) =>
    `It has ${count === undefined ? `too many ${things}: the most is ${most}` : `${count} ${things}; at most ${most} are allowed`}.\nShorten it.`,
  below: ({ least }: { least: number }) => `It is less than ${least}.\nWrite ${least} or more.`,
  above: ({ most }: { most: number }) => `It is more than ${most}.\nWrite ${most} or less.`,
  notMoreThan: ({ than }: { than: number }) => `It must be greater than ${than}.\nWrite a greater number.`,
  notLessThan: ({ than }: { than: number }) => `It must be less than ${than}.\nWrite a smaller number.`,
  notMultiple: ({ of }: { of: number }) => `It is not a multiple of ${of}.\nRound it.`,
  contains: ({ least, most }: { least: number; most?: number | undefined }) =>
    `At least ${least}${most === undefined ? '' : ` and at most ${most}`} of its elements must have the form that the schema asks for.\n${CORRECT}`,
  sameElements: ({ one, other }: { one: number; other: number }) =>
    `Its elements [${one}] and [${other}] are the same.\nRemove one of them.`,
  notDigits: ({ digits }: { digits: string[] }) =>
    `It is not ${digits.join(' to ')} digits.\nWrite ${digits.join(' to ')} digits.`,
  pattern: ({ pattern }: { pattern: string }) =>
    `It does not have the form that is asked for.\nCorrect it. The pattern is ${pattern} here.`,
  propertyName: 'A property cannot have this name.\nRename or remove it.',
  notHere: 'It is not allowed here.\nRemove it.',
  wrongForm: `It has a form that is not allowed here.\n${CORRECT}`,
  noForm: `It fits none of the forms that are allowed here.\n${CORRECT}`,
  severalForms: `It fits more than one of the forms that are allowed here.\n${CORRECT}`,
  invalid: 'The value is not valid here.\nCompare it with docs/order-package.md.',
  invalidData: `The value is not valid here.\n${CORRECT}`,
  schemaSays: ({ hint }: { hint: string }) => ` The schema says of it: "${hint}".`,
  noOrderData: 'It is empty.\nAdd the order data.',
  noDocuments: 'It is empty.\nList at least one document.',
  noRule: 'It is missing.\nAdd a JSONata expression, or set choose to "manual".',
  notJsonata: 'It is not a valid JSONata expression.\nCorrect it. https://try.jsonata.org shows where the error is.',
  noKey: 'This stage has no KMS key to sign with.\nWrite "external", or remove it.',

  notUtf8: ({ name }: { name: string }) => `${name} is not UTF-8 text.\nSave it with the encoding UTF-8.`,
  tooDeep: ({ name, most }: { name: string; most: number }) =>
    `${name} is nested deeper than ${most} levels.\nFlatten its arrays and objects.`,
  tooManyValues: ({ name, most }: { name: string; most: number }) =>
    `${name} has more than ${most} values.\nUpload data beside it, not in it.`,
  notJson: ({ name, position }: { name: string; position?: string | undefined }) =>
    `${name} is not valid JSON${position === undefined ? ', or is incomplete' : `: there is an error at position ${position}`}.\nFix the JSON. An editor that checks JSON shows where the error is.`,
  orderTooLarge: ({ most }: { most: number }) =>
    `order.json is larger than ${most} bytes.\nUpload files beside it, not in it.`,
  folderName: ({ wouldDo }: { wouldDo?: string }) =>
    `The folder name is not a valid orderRef.\n${wouldDo === undefined ? 'Use 1-64 of the characters A-Z a-z 0-9 . _ - for it, beginning with a letter or digit. Upload the whole package to a folder with such a name.' : `Give another reference (--ref), such as ${wouldDo}.`}`,
  fileName: ({ file, wouldDo }: { file: string; wouldDo?: string }) =>
    `The file name ${file} is not allowed.\nUse documents/<name> with the characters A-Z a-z 0-9 . _ - only; <name> must begin with a letter or digit. Rename the uploaded file, and correct the name here.${wouldDo === undefined ? '' : ` ${wouldDo} would do.`}`,
  noFile: ({ file, key, near }: { file: string; key: string; near?: string | undefined }) =>
    `The file ${file} is not in the package.\n${near === undefined ? `Add it: in intake it is ${key}.` : `It has ${near}: use one name for both.`}`,
  fileEmpty: ({ file }: { file: string }) => `The file ${file} is empty.\nUpload it again.`,
  fileTooLarge: ({ file, size, most }: { file: string; size: number; most: number }) =>
    `The file ${file} has ${size} bytes; at most ${most} are allowed.\nUpload a smaller one. The stage's setting limits.documentBytes does not allow more.`,
  unreadable: ({ name, why }: { name: string; why: Unreadable }) =>
    `${name} cannot be read: ${UNREADABLE[why]}.\n${why === 'link' ? 'Put the file itself there.' : 'Upload it again with the storage class and the encryption of the bucket.'}`,
  packageTooLarge: ({ size, most }: { size: number; most: number }) =>
    `The package has ${size} bytes; at most ${most} are allowed.\nSend smaller documents, or fewer.`,
  startedBefore: ({ status }: { status: string }) =>
    `The order with this orderRef was started from an earlier order.json. Its status is ${status}.\nThe order keeps its order.json. A document that you replace is sent in its new version if it was not sent yet. To submit another order, upload the package under a new orderRef.`,

  notInPackage:
    'The order.json that started this order does not name the file, so it is never sent, and the order is unchanged.\nIf it replaces a document of the order, upload it under the name of that document. If the order needs a further document, submit a new package under another orderRef.',
  removedOrder:
    'The order is over and its files were removed, so nothing was done with the file.\nRemove it, with all its versions. To submit another order, upload a package under a new orderRef.',
  noOrder:
    'There is no order with this orderRef, so the signature was not checked and is not used.\nTake the address of each signature from to-sign.json of its order, and upload it there.',
  noFolder: `The file is in no folder of an order, so nothing was done with it.\n${PLACE}`,
  outsideOrders: `The file is not below orders/, so it belongs to no order, and nothing was done with it.\n${PLACE}`,
  ordersMisspelled: `The first folder is not written exactly "orders", so nothing was done with the file.\n${PLACE}`,
  folderMisspelled: ({ name, folder }: { name: string; folder: string }) =>
    `The folder is not written exactly "${name}", so nothing was done with the file.\nUpload the file to ${folder}${name}/.`,
  looksLike: ({ name, folder, isDeep }: { name: string; folder: string; isDeep: boolean }) =>
    `The file looks like ${name}, but it ${isDeep ? 'lies in a folder too deep' : 'is not named exactly so'}. Nothing was done with it, and no order was started or changed.\nUpload it as ${folder}${name}, in small Latin letters.`,
  unknownFile: ({ folder }: { folder: string }) =>
    `No order has a file of this name or in this folder, so nothing was done with it.\nA document lies in ${folder}documents/ and is named in order.json. Upload it there, or remove it.`,
  signatureName: ({ folder }: { folder: string }) =>
    `A file of an order cannot have this name, so nothing was done with it.\nName a signature ${folder}signatures/<fileId>.sig, as to-sign.json says.`,
  documentName: ({ most }: { most: number }) =>
    `A file of an order cannot have this name, so nothing was done with it.\nThe name of a document has at most ${most} characters: A-Z a-z 0-9 . _ - and / for folders. Each part begins with a letter or digit. Rename it, and name it so in order.json.`,

  decisionTooLarge: ({ most }: { most: number }) =>
    `decision.json is larger than ${most} bytes.\nWrite nothing but the decision into it.`,
  repeatedProperty: 'The property occurs twice.\nName each property once.',
  unseen:
    'It is blank, or has characters that cannot be seen or turn the direction of the text.\nWrite it in visible characters on one line.',
  offerTwice: 'This offer is chosen twice.\nRemove one of the two.',
  offerConfirmed: ({ code }: { code: string }) =>
    `This offer is confirmed already, with the code ${code}.\nChoose this code, or leave the offer out.`,
  noOffer: `The order does not have this offer.\n${TAKE}`,
  offerNotAvailable: `This offer is not AVAILABLE.\n${TAKE}`,
  noOption:
    "The offer does not have this credit option.\nChoose a code from the offer's creditOptions in offers.json in staging.",
  orderFinal: ({ status }: { status: string }) =>
    `The order is ${status}, which is final.\nIt takes no decision any more.`,

  signatureEmpty: `It is empty.\n${VALID_ONE}`,
  signatureTooLarge: ({ size, most }: { size: number; most: number }) =>
    `It has ${size} bytes. At most ${most} are allowed: the stage's setting signing.largestSignatureBytes.\n${VALID_ONE}`,
  signerNotNamed: `The stage's setting signing.signers does not name the signer. Let somebody sign whom it names.\n${VALID_ONE}`,
  issuerLater: "The stage still checks who issued the signer's certificate.",
  signatureRefused: ({ httpStatus }: { httpStatus: number | undefined }) =>
    `The order service refused this signature (${httpStatus}).\n${VALID_ONE} Then an operator must retry the order.`,
  archiveUnreadable:
    'It cannot be unpacked: it is empty, damaged or encrypted, or has more than 1,000 files or 64 MiB.\nPack it again.',
  leftOut: 'It is not a signature, and was left out.',
  notAsked: 'The order does not ask for it.',
  signsNone:
    'It signs none of these documents.\nDownload the document again, and sign that file unchanged (OpenSSL: with -binary).',
  notToSign: 'The order has no such document to sign.\nTake the names from to-sign.json.',
  notASignature: 'This is not the name of a signature.\nName it signatures/<fileId>.sig, as to-sign.json says.',
  kmsRefuses: ({ name }: { name: string }) => `KMS refuses to use the key (${name}).`,
  kmsSilent: 'KMS answered without a signature.',
  kmsKeyType: ({ type }: { type: string }) => `The KMS key has the type ${type}, which cannot sign documents.`,
  noChain: ({ chain }: { chain: string }) => `There is no certificate chain in intake: ${chain}.`,
  chainOfOther: ({ chain }: { chain: string }) =>
    `The certificate chain ${chain} in intake has no certificate for the KMS key.`,
  chainUnreadable: ({ chain }: { chain: string }) => `${chain} in intake cannot be read as PEM certificates.`,
} satisfies Words;

export type OwnCode = CodeOf<typeof ENGLISH>;

/** What is wrong, and how to fix it. Releases without codes stored only the English text. */
export interface InWords extends Coded {
  problem: string;
  fix: string;
}

export function inWords(...[code, params]: OwnCode): InWords {
  const [problem = '', fix = ''] = say(ENGLISH, { code, params })?.split('\n') ?? [];
  return { problem, fix, code, ...(params && { params }) };
}
