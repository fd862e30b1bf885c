import type { Account } from '../account.ts';
import { UnsupportedError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import { compilePolicy, type NeededRight, type Statement } from './policy.ts';

/** Reads a policy of a role. Throws an UnsupportedError if something in it is not supported. */
export type RolePolicy = () => Statement[];

/** A function as IAM sees it: by its role. */
interface Principal {
  arn: string;
  statements: Statement[];
}

/**
 * Checks the requests of functions against the policies of their roles. A policy is read when a function assumes its role, so the
 * roles of state machines and rules have no effect. Resource policies have no effect either.
 */
export class IamService {
  readonly #account: Account;
  readonly #everywhere: readonly Statement[];
  /** By the role's name. */
  readonly #policies = new Map<string, RolePolicy[]>();
  /** By access key. */
  readonly #principals = new Map<string, Principal>();

  /** `everywhere` holds statements for every function, whatever its role. Throws an UnsupportedError as RolePolicy does. */
  constructor(account: Account, everywhere: JsonObject[] = []) {
    this.#account = account;
    const refuse = (problem: string) => new UnsupportedError(`functionStatements ${problem}`);
    this.#everywhere = compilePolicy({ Statement: everywhere }, refuse);
  }

  /** Adds policies to a role. */
  attach(roleName: string, ...policies: RolePolicy[]): void {
    this.#policies.set(roleName, [...(this.#policies.get(roleName) ?? []), ...policies]);
  }

  /** From now on, requests whose access key is the function's name have the rights of its role, and no others. */
  assumeRole(functionName: string, roleArn: string): void {
    const roleName = roleArn.split('/').pop() ?? '';
    const policies = this.#policies.get(roleName);
    if (!policies)
      throw new UnsupportedError(`${functionName} runs in ${roleArn}, which is not a role of these stacks.`);
    const arn = `arn:aws:sts::${this.#account.accountId}:assumed-role/${roleName}/${functionName}`;
    const statements = [...this.#everywhere, ...policies.flatMap((read) => read())];
    this.#principals.set(functionName, { arn, statements });
  }

  /** Whether the access key is a function's. Other keys are not restricted. */
  restricts(accessKeyId: string): boolean {
    return this.#principals.has(accessKeyId);
  }

  /** AWS's message for the first right that the function's role lacks, or undefined if it has them all. */
  denial(accessKeyId: string, needed: readonly NeededRight[]): string | undefined {
    const principal = this.#principals.get(accessKeyId);
    const lacking = needed.find((right) => !principal?.statements.some((allows) => allows(right)));
    if (!principal || !lacking) return undefined;
    const { action, resource = '*' } = lacking;
    return `User: ${principal.arn} is not authorized to perform: ${action} on resource: ${resource}`;
  }
}
