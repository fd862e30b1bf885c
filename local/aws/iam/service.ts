import type { Account } from '../account.ts';
import { UnsupportedError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import { compilePolicy, type NeededRight, type Statement } from './policy.ts';

/** Reads a policy of a role. Throws an UnsupportedError when it holds what can't be judged here. */
export type RolePolicy = () => Statement[];

/** Who asks, as AWS knows a function: by the role that it runs in. */
interface Principal {
  arn: string;
  statements: Statement[];
}

/**
 * The policies of roles, as far as functions run in them. A policy is read when a function takes its role: what stands in the role of
 * a state machine or a rule changes nothing here. Nor do policies of resources, which in these stacks give a function nothing.
 */
export class IamService {
  readonly #account: Account;
  readonly #everywhere: readonly Statement[];
  /** By the role's name. */
  readonly #policies = new Map<string, RolePolicy[]>();
  /** By access key. */
  readonly #principals = new Map<string, Principal>();

  /** `everywhere` holds for every function, whatever its role. Throws an UnsupportedError as policies do. */
  constructor(account: Account, everywhere: JsonObject[] = []) {
    this.#account = account;
    const refuse = (problem: string) => new UnsupportedError(`functionStatements ${problem}`);
    this.#everywhere = compilePolicy({ Statement: everywhere }, refuse);
  }

  /** Makes the role known, with these policies besides those that it has. */
  attach(roleName: string, ...policies: RolePolicy[]): void {
    this.#policies.set(roleName, [...(this.#policies.get(roleName) ?? []), ...policies]);
  }

  /** From here on requests with the function's name as their access key have the rights of its role, and no others. */
  assumeRole(functionName: string, roleArn: string): void {
    const roleName = roleArn.split('/').pop() ?? '';
    const policies = this.#policies.get(roleName);
    if (!policies) throw new UnsupportedError(`${functionName} runs in ${roleArn}, which is no role of these stacks.`);
    const arn = `arn:aws:sts::${this.#account.accountId}:assumed-role/${roleName}/${functionName}`;
    const statements = [...this.#everywhere, ...policies.flatMap((read) => read())];
    this.#principals.set(functionName, { arn, statements });
  }

  /** Whether the key is a function's. Nobody else's requests are restricted. */
  restricts(accessKeyId: string): boolean {
    return this.#principals.has(accessKeyId);
  }

  /** What AWS says to the first right that the key's role lacks; undefined when it has them all. */
  denial(accessKeyId: string, needed: readonly NeededRight[]): string | undefined {
    const principal = this.#principals.get(accessKeyId);
    const lacking = needed.find((right) => !principal?.statements.some((allows) => allows(right)));
    if (!principal || !lacking) return undefined;
    const { action, resource = '*' } = lacking;
    return `User: ${principal.arn} is not authorized to perform: ${action} on resource: ${resource}`;
  }
}
