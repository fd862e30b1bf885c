import { randomUUID } from 'node:crypto';
import type { Account } from '../account.ts';
import { AwsError, type JsonObject, type Operations, UnsupportedError } from '../protocol/operation.ts';
import type { Clock } from '../time/clock.ts';
import { compilePolicy, judge, type NeededRight, type Statement } from './policy.ts';

/** Reads a policy. Throws an UnsupportedError if something in it is not supported. */
export type PolicyReader = () => Statement[];

/** A function as IAM sees it, by its role, or a person. */
interface Principal {
  arn: string;
  statements: Statement[];
  boundary?: Statement[] | undefined;
}

/**
 * Checks the requests of functions against the policies of their roles, and those of people against the managed policies that are attached
 * to them. A policy is read when a function assumes its role or a person is added, so the roles of state machines and rules have no effect.
 * Of resource policies, only those of queues, topics and keys have an effect: on what services send.
 */
export class IamService {
  readonly #account: Account;
  readonly #everywhere: readonly Statement[];
  /** By the role's name. */
  readonly #policies = new Map<string, PolicyReader[]>();
  /** By name. */
  readonly #boundaries = new Map<string, PolicyReader>();
  /** By ARN. */
  readonly #managed = new Map<string, PolicyReader>();
  /** The roles that the account's own people may assume. */
  readonly #ofAccount = new Set<string>();
  /** The ARN of each function's role. */
  readonly #roles = new Map<string, string>();
  /** By access key. */
  readonly #principals = new Map<string, Principal>();

  /** `everywhere` holds statements for every function, whatever its role. Throws an UnsupportedError as PolicyReader does. */
  constructor(account: Account, everywhere: JsonObject[] = []) {
    this.#account = account;
    const refuse = (problem: string) => new UnsupportedError(`functionStatements ${problem}`);
    this.#everywhere = compilePolicy({ Statement: everywhere }, refuse);
  }

  /** Removes the policies of roles. Until functions assume their roles again, they have the rights that they had. */
  forgetPolicies(): void {
    for (const known of [this.#policies, this.#boundaries, this.#managed]) known.clear();
  }

  attach(roleName: string, ...policies: PolicyReader[]): void {
    this.#policies.set(roleName, [...(this.#policies.get(roleName) ?? []), ...policies]);
  }

  /** Bounds the permissions of a role by a managed policy. */
  bound(roleName: string, boundary: PolicyReader): void {
    this.#boundaries.set(roleName, boundary);
  }

  roleArn(roleName: string): string {
    return `arn:aws:iam::${this.#account.accountId}:role/${roleName}`;
  }

  addManaged(policyArn: string, policy: PolicyReader): void {
    this.#managed.set(policyArn, policy);
  }

  /** The managed policy with this ARN, if the stacks have it. */
  managed(policyArn: string): PolicyReader | undefined {
    return this.#managed.get(policyArn);
  }

  /** From now on, requests with this access key have the rights of these managed policies, and no others. */
  addPerson(accessKeyId: string, policyArns: readonly string[]): void {
    const statements = policyArns.flatMap((policyArn) => {
      const read = this.managed(policyArn);
      if (read) return read();
      throw new UnsupportedError(
        `${accessKeyId} has the managed policy ${policyArn}, which is not a policy of these stacks.`,
      );
    });
    this.#principals.set(accessKeyId, { arn: this.#userArn(accessKeyId), statements });
  }

  arnOf(accessKeyId: string): string {
    return this.#principals.get(accessKeyId)?.arn ?? this.#userArn(accessKeyId);
  }

  #userArn(name: string): string {
    return `arn:aws:iam::${this.#account.accountId}:user/${name}`;
  }

  /** From now on, requests whose access key is the function's name have the rights of its role, and no others. */
  assumeRole(functionName: string, roleArn: string): void {
    const roleName = roleArn.split('/').pop() ?? '';
    const policies = this.#policies.get(roleName);
    if (!policies)
      throw new UnsupportedError(`${functionName} runs in ${roleArn}, which is not a role of these stacks.`);
    this.#roles.set(functionName, roleArn);
    const arn = `arn:aws:sts::${this.#account.accountId}:assumed-role/${roleName}/${functionName}`;
    const statements = [...this.#everywhere, ...policies.flatMap((read) => read())];
    const boundary = this.#boundaries.get(roleName)?.();
    this.#principals.set(functionName, { arn, statements, boundary });
  }

  /** From now on, requests with the access key that is returned have the rights of the role. Throws an AwsError if nobody but services may assume it. */
  assumeAsPerson(roleArn: string, session: string): string {
    const roleName = roleArn.split('/').pop() ?? '';
    const policies = this.#policies.get(roleName);
    if (!policies || !this.#ofAccount.has(roleName)) {
      const message = `User: ${this.#userArn('local')} is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`;
      throw new AwsError('AccessDenied', message, 403);
    }
    const accessKeyId = `ASIA${randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase()}`;
    const arn = `arn:aws:sts::${this.#account.accountId}:assumed-role/${roleName}/${session}`;
    const boundary = this.#boundaries.get(roleName)?.();
    this.#principals.set(accessKeyId, { arn, statements: policies.flatMap((read) => read()), boundary });
    return accessKeyId;
  }

  /** The role's trust policy names the account: whoever is not restricted may assume it. */
  trustAccount(roleName: string): void {
    this.#ofAccount.add(roleName);
  }

  /** Every function assumes its role again, whose policies may have changed. A function whose role is gone keeps its rights. */
  assumeAgain(): void {
    for (const [functionName, roleArn] of this.#roles) {
      if (this.#policies.has(roleArn.split('/').pop() ?? '')) this.assumeRole(functionName, roleArn);
    }
  }

  /** Whether the access key is a function's or a person's. Other keys are not restricted. */
  restricts(accessKeyId: string): boolean {
    return this.#principals.has(accessKeyId);
  }

  /** AWS's message for the first right that the access key lacks, or undefined if it has them all. */
  denial(accessKeyId: string, needed: readonly NeededRight[]): string | undefined {
    const principal = this.#principals.get(accessKeyId);
    if (!principal) return undefined;
    for (const right of needed) {
      const reason = reasonToDeny(principal, right);
      if (reason === undefined) continue;
      return `User: ${principal.arn} is not authorized to perform: ${right.action} on resource: ${right.resource ?? '*'}${reason}`;
    }
    return undefined;
  }
}

/** The end of AWS's message (IAM, "Troubleshoot access denied error messages"), or undefined if the right is there. */
function reasonToDeny({ statements, boundary }: Principal, right: NeededRight): string | undefined {
  const verdict = judge(statements, right);
  if (verdict !== 'allowed') return verdict === 'denied' ? ' with an explicit deny in an identity-based policy' : '';
  const bound = boundary === undefined ? 'allowed' : judge(boundary, right);
  if (bound === 'denied') return ' with an explicit deny in a permissions boundary';
  return bound === 'allowed' ? undefined : ` because no permissions boundary allows the ${right.action} action`;
}

/** STS: identifies the caller. An access key that belongs to no function or person counts as a user of the same name. */
export function stsOperations({ accountId }: Account, iam: IamService, clock: Clock): Operations {
  return {
    AssumeRole: ({ RoleArn: roleArn = '', RoleSessionName: session = '', DurationSeconds: seconds = 3_600 }) => {
      const AccessKeyId = iam.assumeAsPerson(String(roleArn), String(session));
      return {
        Credentials: {
          AccessKeyId,
          SecretAccessKey: AccessKeyId,
          SessionToken: AccessKeyId,
          Expiration: new Date(clock.now() + Number(seconds) * 1000).toISOString(),
        },
        AssumedRoleUser: { Arn: iam.arnOf(AccessKeyId), AssumedRoleId: `${AccessKeyId}:${String(session)}` },
      };
    },
    GetCallerIdentity: (_input, accessKeyId) => ({
      Arn: iam.arnOf(accessKeyId),
      UserId: accessKeyId,
      Account: accountId,
    }),
  };
}
