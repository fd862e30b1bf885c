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

export type IamService = ReturnType<typeof createIam>;

/**
 * Checks the requests of functions against the policies of their roles, and those of people against the managed policies that are attached
 * to them. A policy is read when a function assumes its role or a person is added, so the roles of state machines and rules have no effect.
 * Of resource policies, only those of queues, topics and keys have an effect: on what services send.
 * @param given statements for every function, whatever its role. Throws an UnsupportedError as PolicyReader does.
 */
export function createIam({ accountId }: Account, given: JsonObject[] = []) {
  const everywhere = compilePolicy(
    { Statement: given },
    (problem) => new UnsupportedError(`functionStatements ${problem}`),
  );
  /** Policies and boundaries by the role's name, managed policies by ARN. */
  const policies = new Map<string, PolicyReader[]>();
  const boundaries = new Map<string, PolicyReader>();
  const managed = new Map<string, PolicyReader>();
  /** The roles that the account's own people may assume. */
  const ofAccount = new Set<string>();
  const roles = new Map<string, string>();
  const principals = new Map<string, Principal>();
  const userArn = (name: string) => `arn:aws:iam::${accountId}:user/${name}`;
  const nameOf = (roleArn: string) => roleArn.split('/').pop() ?? '';
  const assume = (accessKeyId: string, roleName: string, session: string, more: readonly Statement[]): void => {
    const arn = `arn:aws:sts::${accountId}:assumed-role/${roleName}/${session}`;
    const statements = [...more, ...(policies.get(roleName) ?? []).flatMap((read) => read())];
    principals.set(accessKeyId, { arn, statements, boundary: boundaries.get(roleName)?.() });
  };
  /** From now on, requests whose access key is the function's name have the rights of its role, and no others. */
  const assumeRole = (functionName: string, roleArn: string): void => {
    const roleName = nameOf(roleArn);
    if (!policies.has(roleName))
      throw new UnsupportedError(`${functionName} runs in ${roleArn}, which is not a role of these stacks.`);
    roles.set(functionName, roleArn);
    assume(functionName, roleName, functionName, everywhere);
  };
  return {
    /** Removes the policies of roles. Until functions assume their roles again, they have the rights that they had. */
    forgetPolicies: (): void => {
      for (const known of [policies, boundaries, managed]) known.clear();
    },
    attach: (roleName: string, ...more: PolicyReader[]): void =>
      void policies.set(roleName, [...(policies.get(roleName) ?? []), ...more]),
    bound: (roleName: string, boundary: PolicyReader): void => void boundaries.set(roleName, boundary),
    roleArn: (roleName: string) => `arn:aws:iam::${accountId}:role/${roleName}`,
    addManaged: (policyArn: string, policy: PolicyReader): void => void managed.set(policyArn, policy),
    managed: (policyArn: string) => managed.get(policyArn),
    /** From now on, requests with this access key have the rights of these managed policies, and no others. */
    addPerson: (accessKeyId: string, policyArns: readonly string[]): void => {
      const statements = policyArns.flatMap((policyArn) => {
        const read = managed.get(policyArn);
        if (read) return read();
        const problem = `the managed policy ${policyArn}, which is not a policy of these stacks.`;
        throw new UnsupportedError(`${accessKeyId} has ${problem}`);
      });
      principals.set(accessKeyId, { arn: userArn(accessKeyId), statements });
    },
    arnOf: (accessKeyId: string) => principals.get(accessKeyId)?.arn ?? userArn(accessKeyId),
    assumeRole,
    /** From now on, requests with the access key that is returned have the rights of the role. Throws an AwsError if nobody but services may assume it. */
    assumeAsPerson: (roleArn: string, session: string): string => {
      const roleName = nameOf(roleArn);
      if (!policies.has(roleName) || !ofAccount.has(roleName)) {
        const message = `User: ${userArn('local')} is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`;
        throw new AwsError('AccessDenied', message, 403);
      }
      const accessKeyId = `ASIA${randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase()}`;
      assume(accessKeyId, roleName, session, []);
      return accessKeyId;
    },
    /** The role's trust policy names the account: whoever is not restricted may assume it. */
    trustAccount: (roleName: string): void => void ofAccount.add(roleName),
    /** Every function assumes its role again, whose policies may have changed. A function whose role is gone keeps its rights. */
    assumeAgain: (): void => {
      for (const [functionName, roleArn] of roles) if (policies.has(nameOf(roleArn))) assumeRole(functionName, roleArn);
    },
    restricts: (accessKeyId: string) => principals.has(accessKeyId),
    /** AWS's message for the first right that the access key lacks, or undefined if it has them all. */
    denial: (accessKeyId: string, needed: readonly NeededRight[]): string | undefined => {
      const principal = principals.get(accessKeyId);
      if (!principal) return undefined;
      for (const right of needed) {
        const reason = reasonToDeny(principal, right);
        if (reason === undefined) continue;
        return `User: ${principal.arn} is not authorized to perform: ${right.action} on resource: ${right.resource ?? '*'}${reason}`;
      }
      return undefined;
    },
  };
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
