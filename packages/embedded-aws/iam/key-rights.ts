import type { Account } from '../account.ts';
import { AwsError, isJsonObject, type JsonObject } from '../protocol/operation.ts';
import { type NeededRight, namesService } from './policy.ts';

/** The KMS actions that a request to each service needs. S3 lists and deletes without the key. */
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

/** The KMS actions that a service needs to send to a queue or a topic. */
const SENDING = ['kms:GenerateDataKey', 'kms:Decrypt'];

/**
 * Statements with a condition never match. KMS supports neither aws:SourceAccount nor aws:SourceArn when EventBridge sends to encrypted
 * topics (SNS, "Key management"). EventBridge documents a statement without conditions for queues ("Amazon EventBridge targets").
 */
function allowsService({ Statement: statements = [] }: JsonObject, service: string, action: string): boolean {
  return [statements].flat().some((statement) => {
    if (!isJsonObject(statement) || statement.Effect !== 'Allow' || statement.Condition !== undefined) return false;
    return namesService(statement, service, action);
  });
}

/** The keys of buckets, tables, secrets, queues and topics. Nothing is encrypted, but permissions to use the keys are checked. */
export function createEncryptionKeys({ region }: Account) {
  /** Key ARNs, by the ARN of the resource that they encrypt. */
  const keys = new Map<string, string>();
  /** Key policies, by the ARN of the key. Only for keys in the stacks. */
  const policies = new Map<string, JsonObject>();
  const keyRights = ({ action, resource = '', key: own }: NeededRight): NeededRight[] => {
    const [service = '', operation = ''] = action.split(':');
    // An object and an index have the ARN of their bucket and their table before a slash.
    const [, key = own] = [...keys].find(([arn]) => resource === arn || resource.startsWith(`${arn}/`)) ?? [];
    const keyAction = KEY_ACTIONS[service]?.(operation);
    if (key === undefined || !keyAction) return [];
    const context = { 'kms:ViaService': [`${service}.${region}.amazonaws.com`] };
    return [{ action: keyAction, resource: own ?? key, context }];
  };
  return {
    /** `key` is a key ARN from a template. Any other value means an AWS managed key, which needs no permissions. */
    encrypt: (resourceArn: string, key: unknown): void => {
      if (typeof key === 'string' && key.startsWith('arn:')) keys.set(resourceArn, key);
    },
    setPolicy: (keyArn: string, policy: JsonObject): void => void policies.set(keyArn, policy),
    /**
     * Throws an AwsError if the key policy of this queue or topic does not allow the service to send. The policies of keys outside the
     * stacks are unknown, so they allow everything.
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
