import type { Account } from '../account.ts';
import { AwsError, isJsonObject, type JsonObject } from '../protocol/operation.ts';
import { type NeededRight, namesService } from './policy.ts';

/** The key actions that a request to each service needs. S3 lists and deletes without the key. */
const KEY_ACTIONS: Record<string, (operation: string) => string | undefined> = {
  s3: (operation) => {
    if (operation.startsWith('GetObject')) return 'kms:Decrypt';
    return operation === 'PutObject' ? 'kms:GenerateDataKey' : undefined;
  },
  dynamodb: () => 'kms:Decrypt',
  sqs: (operation) => {
    if (operation === 'SendMessage') return 'kms:GenerateDataKey';
    return operation === 'ReceiveMessage' ? 'kms:Decrypt' : undefined;
  },
  secretsmanager: (operation) => (operation.startsWith('Put') ? 'kms:GenerateDataKey' : 'kms:Decrypt'),
};

/** The key actions that a service needs to send to a queue or a topic. */
const SENDING = ['kms:GenerateDataKey', 'kms:Decrypt'];

/**
 * A statement with a condition never holds: KMS supports neither aws:SourceAccount nor aws:SourceArn for what EventBridge sends to
 * encrypted topics (SNS, "Key management"), and the statement that EventBridge shows for queues has none ("Amazon EventBridge targets").
 */
function allowsService({ Statement: statements = [] }: JsonObject, service: string, action: string): boolean {
  return [statements].flat().some((statement) => {
    if (!isJsonObject(statement) || statement.Effect !== 'Allow' || statement.Condition !== undefined) return false;
    return namesService(statement, service, action);
  });
}

/** The keys that encrypt buckets, tables, secrets and queues. Nothing is encrypted on a laptop, but whoever uses them needs the rights. */
export function createEncryptionKeys({ region }: Account) {
  /** ARNs of keys, by the ARN of what they encrypt. */
  const keys = new Map<string, string>();
  /** By the ARNs of the keys that the stacks create. */
  const policies = new Map<string, JsonObject>();
  const keyRights = ({ action, resource = '' }: NeededRight): NeededRight[] => {
    const [service = '', operation = ''] = action.split(':');
    // An object and an index have the ARN of their bucket and their table before a slash.
    const encrypted = [...keys].find(([arn]) => resource === arn || resource.startsWith(`${arn}/`));
    const keyAction = KEY_ACTIONS[service]?.(operation);
    if (!encrypted || !keyAction) return [];
    const context = { 'kms:ViaService': [`${service}.${region}.amazonaws.com`] };
    return [{ action: keyAction, resource: encrypted[1], context }];
  };
  return {
    /** `key` is the ARN of a key from a template. Any other value means that AWS encrypts with its own key. */
    encrypt: (resourceArn: string, key: unknown): void => {
      if (typeof key === 'string' && key.startsWith('arn:')) keys.set(resourceArn, key);
    },
    setPolicy: (keyArn: string, policy: JsonObject): void => void policies.set(keyArn, policy),
    /**
     * Throws an AwsError if the key of this queue or topic does not let a service send to it. The policy of a key that no stack creates is
     * not known, so it allows everything.
     */
    checkSender: (service: string, resourceArn: string): void => {
      const key = keys.get(resourceArn) ?? '';
      const policy = policies.get(key);
      const missing = policy && SENDING.find((action) => !allowsService(policy, service, action));
      if (missing === undefined) return;
      throw new AwsError('KMS.AccessDeniedException', `The policy of ${key} does not let ${service} use ${missing}.`);
    },
    withKeyRights: (needed: readonly NeededRight[]): NeededRight[] =>
      needed.flatMap((right) => [right, ...keyRights(right)]),
  };
}
