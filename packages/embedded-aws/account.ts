import { createHash } from 'node:crypto';

export interface Account {
  accountId: string;
  region: string;
}

/** `arn:aws:<service>:<region>:<account>:<rest>`. */
export function arn(account: Account, service: string, rest: string): string {
  return `arn:aws:${service}:${account.region}:${account.accountId}:${rest}`;
}

/** A suffix of letters and digits that depends only on `name`. AWS appends a random one. */
export function stableSuffix(name: string, length: number): string {
  const digits = BigInt(`0x${createHash('sha256').update(name).digest('hex')}`).toString(36);
  return digits.slice(0, length);
}
