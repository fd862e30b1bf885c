import { createHash } from 'node:crypto';

/** The one account and region that the embedded AWS plays. */
export interface Account {
  accountId: string;
  region: string;
}

/** `arn:aws:<service>:<region>:<account>:<rest>`. */
export function arn(account: Account, service: string, rest: string): string {
  return `arn:aws:${service}:${account.region}:${account.accountId}:${rest}`;
}

/** Letters and digits that are always the same for the same name, where AWS would append random ones. */
export function stableSuffix(name: string, length: number): string {
  const digits = BigInt(`0x${createHash('sha256').update(name).digest('hex')}`).toString(36);
  return digits.slice(0, length);
}
