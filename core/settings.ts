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

export const text = <Value extends string = string>(name: string): Variable<Value> => ({
  name,
  read: () => environment(name) as Value,
});
export const optionalText = (name: string): Variable<string | undefined> => ({
  name,
  read: () => optionalEnvironment(name),
});
export const number = (name: string): Variable<number> => ({ name, read: () => environmentNumber(name) });
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
  stage: text('STAGE'),
  release: text('RELEASE'),
  orderTable: text('ORDER_TABLE'),
  /** Whether the stack did not create the table. */
  isTableAdopted: optionalText('TABLE_IS_ADOPTED'),
  intakeBucket: text('INTAKE_BUCKET'),
  stagingBucket: text('STAGING_BUCKET'),
  stateMachine: text('ORDER_STATE_MACHINE'),
  eventBus: text('EVENT_BUS'),
  credentialsSecret: text('CREDENTIALS_SECRET'),
  clientCertificateSecret: optionalText('CLIENT_CERTIFICATE_SECRET'),
  /** A JSON Schema of the order data. */
  orderSchema: textFile('ORDER_SCHEMA_FILE'),
  serviceAuthorities: textFile('SERVICE_AUTHORITIES_FILE'),
  signatureAuthorities: textFile('SIGNATURE_AUTHORITIES_FILE'),
  timeStampAuthorities: textFile('TIME_STAMP_AUTHORITIES_FILE'),
  revocationLists: textFile('REVOCATION_LISTS_FILE'),
  signingKey: optionalText('SIGNING_KEY'),
  certificateChain: text('CERTIFICATE_CHAIN'),
});

/** Limits of calls, and what an answer proves. */
export const callSettings = settings({
  timeoutMilliseconds: number('CALL_TIMEOUT_MILLISECONDS'),
  fileIdleTimeoutMilliseconds: number('FILE_IDLE_TIMEOUT_MILLISECONDS'),
});

/** Seconds between two creations that were held back until the service answered. */
export const creationSettings = settings({ secondsBetween: number('SECONDS_BETWEEN_CREATIONS') });

/** A function that makes two file calls has less time for each. */
export const fileSettings = settings({ timeoutMilliseconds: number('FILE_TIMEOUT_MILLISECONDS') });

export const tokenSettings = settings({
  clientAuthentication: text<'body' | 'basic'>('TOKEN_CLIENT_AUTHENTICATION'),
  expiresInUnit: text<'seconds' | 'milliseconds'>('TOKEN_EXPIRES_IN_UNIT'),
  defaultLifetimeSeconds: number('TOKEN_DEFAULT_LIFETIME_SECONDS'),
});

/** All are passed to the client. A member with the name of a setting of `orderService` has the value of that setting. */
export const serviceSettings = settings({
  baseUrl: text('ORDER_SERVICE_URL'),
  tokenUrl: text('TOKEN_URL'),
  /** Of creations and confirms. */
  contentType: text('ORDER_CONTENT_TYPE'),
  names: json<object>('ORDER_SERVICE_NAMES'),
  otherStatuses: json<object>('OTHER_STATUSES'),
  compareOrderId: flag('COMPARE_ORDER_ID'),
  /** The statuses that prove that a call was not done. */
  notDone: json<Record<'creation' | 'accept' | 'confirm', number[]>>('NOT_DONE'),
  /** The statuses that mean that a document or a signature was taken. */
  uploaded: json<number[]>('UPLOADED'),
  /** The content types of documents to sign, in lower case. */
  documentTypes: json<string[]>('DOCUMENT_TYPES'),
  /** What the text fields of a form name as their charset. */
  fieldCharset: text<'none' | 'utf-8'>('FIELD_CHARSET'),
  acceptBody: text<'none' | 'empty-object'>('ACCEPT_BODY'),
  /** How a confirm sends an identifier that consists of digits: as a number, or in quotes. */
  confirmNumbers: text<'as-numbers' | 'as-texts'>('CONFIRM_NUMBERS'),
});

export const idempotencySettings = settings({
  idempotencyHeader: optionalText('IDEMPOTENCY_HEADER'),
  idempotent: flag('IDEMPOTENT'),
});

/** The stage's `limits`. */
export const limitSettings = settings({ documentBytes: number('LIMIT_DOCUMENT_BYTES') });

export const pollSettings = settings({
  minimumSeconds: number('POLL_MINIMUM_SECONDS'),
  defaultSeconds: number('POLL_DEFAULT_SECONDS'),
  longSeconds: number('LONG_WAIT_SECONDS'),
});

export const readSettings = settings({
  pollGrowth: number('POLL_GROWTH'),
  repeatsLimit: number('REPEATS_LIMIT'),
  settlingSeconds: number('SETTLING_SECONDS'),
  unusableReadsLimit: number('UNUSABLE_READS_LIMIT'),
});

export const deadlineSettings = settings({
  signaturesDays: number('SIGNATURES_DEADLINE_DAYS'),
  decisionDays: number('DECISION_DEADLINE_DAYS'),
});

export const gateSettings = settings({
  level: text<'check' | 'strict'>('SIGNATURE_GATE'),
  unchecked: text<'refuse' | 'accept'>('SIGNATURES_UNCHECKED'),
  /** Who may sign. Anybody if it is empty. */
  signers: json<string[]>('ALLOWED_SIGNERS'),
  largestSignatureBytes: number('LARGEST_SIGNATURE_BYTES'),
});

export const compareSettings = settings({ compareDocuments: flag('COMPARE_DOCUMENTS') });

export const signingSettings = settings({
  mode: text<'external' | 'kms'>('SIGNING_MODE'),
  hasKey: flag('SIGNING_HAS_KEY'),
});

export const confirmSettings = settings({ confirmedStatus: text('CONFIRMED_OFFER_STATUS') });

export const offerSettings = settings({
  choose: text<'manual' | 'rule'>('OFFERS_CHOOSE'),
  rule: optionalText('OFFERS_RULE'),
});

export const recoverySettings = settings({ outagePatienceHours: number('OUTAGE_PATIENCE_HOURS') });

/** Without a number of days, the data is never removed. */
export const retentionSettings = settings({
  documentsDays: optionalNumber('KEEP_DOCUMENTS_DAYS'),
  recordDays: optionalNumber('KEEP_RECORD_DAYS'),
});

export const sweepSettings = settings({
  mostStarts: number('STARTS_PER_SWEEP'),
  holdReleases: flag('HOLD_RELEASES'),
});
