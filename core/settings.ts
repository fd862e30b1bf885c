import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Functions read their environment through this file only. The error names the variable, so a mistake shows at once. */
export function environment(name: string): string {
  const value = optionalEnvironment(name);
  if (value !== undefined) return value;
  throw new Error(`Environment variable ${name} is not set. The stack sets it for every function that needs it.`);
}

export const optionalEnvironment = (name: string): string | undefined => process.env[name] || undefined;

/** The command line uses some of the same code. Its output is for people and scripts. */
export const isInLambda = (): boolean => optionalEnvironment('AWS_LAMBDA_FUNCTION_NAME') !== undefined;

function environmentNumber(name: string): number {
  const value = Number(environment(name));
  if (Number.isFinite(value) && value >= 0) return value;
  throw new Error(`Environment variable ${name} must be a number, zero or greater.`);
}

function environmentFlag(name: string): boolean {
  const value = environment(name);
  if (value === 'true' || value === 'false') return value === 'true';
  throw new Error(`Environment variable ${name} must be true or false.`);
}

function environmentFile(name: string): string | undefined {
  const file = optionalEnvironment(name);
  return file === undefined ? undefined : readFileSync(resolve(import.meta.dirname, file), 'utf8');
}

/** A variable of a function's environment. Its name is defined only here: infra writes it, and functions read it, through its group. */
interface Variable<Value> {
  name: string;
  read(): Value;
}

export const textVariable = <Value extends string = string>(name: string): Variable<Value> => ({
  name,
  read: () => environment(name) as Value,
});
export const optionalText = (name: string): Variable<string | undefined> => ({
  name,
  read: () => optionalEnvironment(name),
});
export const numberVariable = (name: string): Variable<number> => ({ name, read: () => environmentNumber(name) });
const optionalNumber = (name: string): Variable<number | undefined> => ({
  name,
  read: () => (optionalEnvironment(name) === undefined ? undefined : environmentNumber(name)),
});
/** A text beside the bundle that is too large for the environment. The variable has the name of its file. */
const textFile = (name: string): Variable<string | undefined> => ({ name, read: () => environmentFile(name) });
const flag = (name: string): Variable<boolean> => ({ name, read: () => environmentFlag(name) });
const json = <Value>(name: string): Variable<Value> => ({ name, read: () => JSON.parse(environment(name)) });

type Variables = Record<string, Variable<unknown>>;
type Values<Group extends Variables> = { readonly [Member in keyof Group]: ReturnType<Group[Member]['read']> };

const variablesOfGroups = new WeakMap<object, Variables>();

/** Settings that belong together. Each is read, and checked, when it is used. The error names the variable. */
export function settings<Group extends Variables>(variables: Group): Values<Group> {
  const group = {} as Values<Group>;
  for (const [member, { read: get }] of Object.entries(variables))
    Object.defineProperty(group, member, { enumerable: true, get });
  variablesOfGroups.set(group, variables);
  return group;
}

export function variableOf<Group extends object>(group: Group, member: keyof Group & string): string {
  const variable = variablesOfGroups.get(group)?.[member];
  if (!variable) throw new Error(`${member} is no setting.`);
  return variable.name;
}

/** The environment variables of a group. Undefined values, and values that are not in the group, are left out. */
export function variables<Group extends object>(group: Group, values: Group): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variablesOfGroups.get(group) ?? {}).flatMap(([member, { name }]) => {
      const value = values[member as keyof Group];
      return value === undefined ? [] : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]];
    }),
  );
}

/** What the stack gives to functions: names and ARNs of its resources. */
export const stackSettings = settings({
  stage: textVariable('STAGE'),
  release: textVariable('RELEASE'),
  orderTable: textVariable('ORDER_TABLE'),
  /** Whether the stack did not create the table. */
  isTableAdopted: optionalText('TABLE_IS_ADOPTED'),
  intakeBucket: textVariable('INTAKE_BUCKET'),
  stagingBucket: textVariable('STAGING_BUCKET'),
  stateMachine: textVariable('ORDER_STATE_MACHINE'),
  eventBus: textVariable('EVENT_BUS'),
  credentialsSecret: textVariable('CREDENTIALS_SECRET'),
  clientCertificateSecret: optionalText('CLIENT_CERTIFICATE_SECRET'),
  /** A JSON Schema of the order data. */
  orderSchema: textFile('ORDER_SCHEMA_FILE'),
  /** JSON: the pointers of an order's labels, by name. */
  labels: textFile('LABELS_FILE'),
  serviceAuthorities: textFile('SERVICE_AUTHORITIES_FILE'),
  signatureAuthorities: textFile('SIGNATURE_AUTHORITIES_FILE'),
  timeStampAuthorities: textFile('TIME_STAMP_AUTHORITIES_FILE'),
  revocationLists: textFile('REVOCATION_LISTS_FILE'),
  /** JSON: where more lists are, and what to do with a signature of whose signer they say nothing. */
  revocation: textFile('REVOCATION_FILE'),
  signingKey: optionalText('SIGNING_KEY'),
  certificateChain: textVariable('CERTIFICATE_CHAIN'),
});

/** Limits of calls, and what an answer proves. */
export const callSettings = settings({
  timeoutMilliseconds: numberVariable('CALL_TIMEOUT_MILLISECONDS'),
  fileIdleTimeoutMilliseconds: numberVariable('FILE_IDLE_TIMEOUT_MILLISECONDS'),
});

/** Seconds between two creations that were held back until the service answered. */
export const creationSettings = settings({ secondsBetween: numberVariable('SECONDS_BETWEEN_CREATIONS') });

/** A function that makes two file calls has less time for each. */
export const fileSettings = settings({ timeoutMilliseconds: numberVariable('FILE_TIMEOUT_MILLISECONDS') });

export const tokenSettings = settings({
  clientAuthentication: textVariable<'body' | 'basic'>('TOKEN_CLIENT_AUTHENTICATION'),
  expiresInUnit: textVariable<'seconds' | 'milliseconds'>('TOKEN_EXPIRES_IN_UNIT'),
  defaultLifetimeSeconds: numberVariable('TOKEN_DEFAULT_LIFETIME_SECONDS'),
});

/** All are passed to the client. A member with the name of a setting of `orderService` has the value of that setting. */
export const serviceSettings = settings({
  baseUrl: textVariable('ORDER_SERVICE_URL'),
  tokenUrl: textVariable('TOKEN_URL'),
  /** Of creations and confirms. */
  contentType: textVariable('ORDER_CONTENT_TYPE'),
  names: json<object>('ORDER_SERVICE_NAMES'),
  otherStatuses: json<object>('OTHER_STATUSES'),
  compareOrderId: flag('COMPARE_ORDER_ID'),
  /** The HTTP statuses that prove, for each kind of call, that it was not done. */
  notDone: json<Record<'creation' | 'accept' | 'confirm', number[]>>('NOT_DONE'),
  /** The HTTP statuses that mean that a document or a signature was taken. */
  uploaded: json<number[]>('UPLOADED'),
  /** The content types of documents to sign, in lower case. */
  documentTypes: json<string[]>('DOCUMENT_TYPES'),
  /** What the text fields of a form name as their charset. */
  fieldCharset: textVariable<'none' | 'utf-8'>('FIELD_CHARSET'),
  acceptBody: textVariable<'none' | 'empty-object'>('ACCEPT_BODY'),
  /** How a confirm sends an identifier that consists of digits: as a number, or in quotes. */
  confirmNumbers: textVariable<'as-numbers' | 'as-texts'>('CONFIRM_NUMBERS'),
});

export const idempotencySettings = settings({
  idempotencyHeader: optionalText('IDEMPOTENCY_HEADER'),
  idempotent: flag('IDEMPOTENT'),
});

/** The stage's `limits`. */
export const limitSettings = settings({ documentBytes: numberVariable('LIMIT_DOCUMENT_BYTES') });

export const pollSettings = settings({
  minimumSeconds: numberVariable('POLL_MINIMUM_SECONDS'),
  defaultSeconds: numberVariable('POLL_DEFAULT_SECONDS'),
  longSeconds: numberVariable('LONG_WAIT_SECONDS'),
});

export const readSettings = settings({
  pollGrowth: numberVariable('POLL_GROWTH'),
  repeatsLimit: numberVariable('REPEATS_LIMIT'),
  settlingSeconds: numberVariable('SETTLING_SECONDS'),
  unusableReadsLimit: numberVariable('UNUSABLE_READS_LIMIT'),
  /** `offerLabels.bank`. */
  bankAt: optionalText('OFFER_BANK'),
});

export const deadlineSettings = settings({
  signaturesDays: numberVariable('SIGNATURES_DEADLINE_DAYS'),
  decisionDays: numberVariable('DECISION_DEADLINE_DAYS'),
  /** `offerLabels.expiresAt`. */
  expiresAt: optionalText('OFFER_EXPIRES_AT'),
});

export const gateSettings = settings({
  level: textVariable<'check' | 'strict'>('SIGNATURE_GATE'),
  unchecked: textVariable<'refuse' | 'accept'>('SIGNATURES_UNCHECKED'),
  /** Who may sign. Anybody if it is empty. */
  signers: json<string[]>('ALLOWED_SIGNERS'),
  largestSignatureBytes: numberVariable('LARGEST_SIGNATURE_BYTES'),
});

export const compareSettings = settings({ compareDocuments: flag('COMPARE_DOCUMENTS') });

export const signingSettings = settings({
  mode: textVariable<'external' | 'kms'>('SIGNING_MODE'),
  hasKey: flag('SIGNING_HAS_KEY'),
});

export const confirmSettings = settings({ confirmedStatus: textVariable('CONFIRMED_OFFER_STATUS') });

export const offerSettings = settings({
  choose: textVariable<'manual' | 'rule'>('OFFERS_CHOOSE'),
  rule: optionalText('OFFERS_RULE'),
});

export const recoverySettings = settings({ outagePatienceHours: numberVariable('OUTAGE_PATIENCE_HOURS') });

/** Without a number of days, the data is never removed. */
export const retentionSettings = settings({
  documentsDays: optionalNumber('KEEP_DOCUMENTS_DAYS'),
  recordDays: optionalNumber('KEEP_RECORD_DAYS'),
});

export const sweepSettings = settings({
  mostStarts: numberVariable('STARTS_PER_SWEEP'),
  holdReleases: flag('HOLD_RELEASES'),
});
