import type { Account } from '../account.ts';
import type { NeededRight } from './policy.ts';

/** What each service does with the key for a request. S3 lists and deletes without it. */
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

/** The keys that encrypt buckets, tables, secrets and queues. Nothing is encrypted on a laptop, but whoever uses them needs the rights. */
export class EncryptionKeys {
  readonly #account: Account;
  /** ARNs of keys, by the ARN of what they encrypt. */
  readonly #keys = new Map<string, string>();

  constructor(account: Account) {
    this.#account = account;
  }

  /** `key` is the ARN of a key, as a template names it; anything else means that AWS encrypts with a key of its own. */
  encrypt(resourceArn: string, key: unknown): void {
    if (typeof key === 'string' && key.startsWith('arn:')) this.#keys.set(resourceArn, key);
  }

  /** The rights, and those to the keys of their resources. */
  withKeyRights(needed: readonly NeededRight[]): NeededRight[] {
    return needed.flatMap((right) => [right, ...this.#keyRights(right)]);
  }

  #keyRights({ action, resource = '' }: NeededRight): NeededRight[] {
    const [service = '', operation = ''] = action.split(':');
    // An object and an index have the ARN of their bucket and their table before a slash.
    const encrypted = [...this.#keys].find(([arn]) => resource === arn || resource.startsWith(`${arn}/`));
    const keyAction = KEY_ACTIONS[service]?.(operation);
    if (!encrypted || !keyAction) return [];
    const context = { 'kms:ViaService': `${service}.${this.#account.region}.amazonaws.com` };
    return [{ action: keyAction, resource: encrypted[1], context }];
  }
}
