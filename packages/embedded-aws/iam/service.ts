import { randomUUID } from 'node:crypto';
import type { Account } from '../account.ts';
import { AwsError, type Operations, UnsupportedError } from '../protocol/operation.ts';
import type { Clock } from '../time/clock.ts';
import { evaluate, type NeededRight, type Statement } from './policy.ts';

export type PolicyReader = () => Statement[];

/** A caller whose requests are checked: a function with its role, or a person. */
interface Principal {
  arn: string;
  statements: Statement[];
  boundary?: Statement[] | undefined;
}

export type IamService = ReturnType<typeof createIam>;

/**
 * Checks requests of functions against the policies of their roles, and requests of people against their managed policies. Policies are
 * compiled when a function assumes its role or a person is added. Roles of state machines and rules are not checked. Of resource policies,
 * only those of queues, topics and keys are checked, when services send.
 */
export function createIam({ accountId }: Account) {
  /** Policies and permissions boundaries by role name, managed policies by ARN. */
  const policies = new Map<string, PolicyReader[]>();
  const boundaries = new Map<string, PolicyReader>();
  const managed = new Map<string, PolicyReader>();
  /** The roles whose trust policy names the account. */
  const ofAccount = new Set<string>();
  const roles = new Map<string, string>();
  const principals = new Map<string, Principal>();
  const userArn = (name: string) => `arn:aws:iam::${accountId}:user/${name}`;
  const nameOf = (roleArn: string) => roleArn.split('/').pop() ?? '';
  const assume = (accessKeyId: string, roleName: string, session: string): void => {
    const arn = `arn:aws:sts::${accountId}:assumed-role/${roleName}/${session}`;
    const statements = (policies.get(roleName) ?? []).flatMap((read) => read());
    principals.set(accessKeyId, { arn, statements, boundary: boundaries.get(roleName)?.() });
  };
  /** From now on, requests whose access key is the function's name have only the permissions of its role. */
  const assumeRole = (functionName: string, roleArn: string): void => {
    const roleName = nameOf(roleArn);
    if (!policies.has(roleName))
      throw new UnsupportedError(`${functionName} has the role ${roleArn}, which is not in these stacks.`);
    roles.set(functionName, roleArn);
    assume(functionName, roleName, functionName);
  };
  return {
    /** Removes all policies. Functions keep their permissions until they assume their roles again. */
    forgetPolicies: (): void => {
      for (const known of [policies, boundaries, managed]) known.clear();
    },
    attach: (roleName: string, ...more: PolicyReader[]): void =>
      void policies.set(roleName, [...(policies.get(roleName) ?? []), ...more]),
    setBoundary: (roleName: string, boundary: PolicyReader): void => void boundaries.set(roleName, boundary),
    roleArn: (roleName: string) => `arn:aws:iam::${accountId}:role/${roleName}`,
    addManaged: (policyArn: string, policy: PolicyReader): void => void managed.set(policyArn, policy),
    managed: (policyArn: string) => managed.get(policyArn),
    /** From now on, requests with this access key have only the permissions of these managed policies. */
    addPerson: (accessKeyId: string, policyArns: readonly string[]): void => {
      const statements = policyArns.flatMap((policyArn) => {
        const read = managed.get(policyArn);
        if (read) return read();
        const problem = `the managed policy ${policyArn}, which is not in these stacks.`;
        throw new UnsupportedError(`${accessKeyId} has ${problem}`);
      });
      principals.set(accessKeyId, { arn: userArn(accessKeyId), statements });
    },
    arnOf: (accessKeyId: string) => principals.get(accessKeyId)?.arn ?? userArn(accessKeyId),
    assumeRole,
    /** Returns an access key with the role's permissions. Throws an AwsError if the role's trust policy does not name the account. */
    assumeAsPerson: (roleArn: string, session: string): string => {
      const roleName = nameOf(roleArn);
      if (!policies.has(roleName) || !ofAccount.has(roleName)) {
        const message = `User: ${userArn('local')} is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`;
        throw new AwsError('AccessDenied', message, 403);
      }
      const accessKeyId = `ASIA${randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase()}`;
      assume(accessKeyId, roleName, session);
      return accessKeyId;
    },
    /** Records that the role's trust policy names the account. Unrestricted callers may then assume it. */
    trustAccount: (roleName: string): void => void ofAccount.add(roleName),
    /** Applies changed policies to all functions. A function whose role was removed keeps its permissions. */
    reassumeRoles: (): void => {
      for (const [functionName, roleArn] of roles) if (policies.has(nameOf(roleArn))) assumeRole(functionName, roleArn);
    },
    restricts: (accessKeyId: string) => principals.has(accessKeyId),
    /** AWS's message for the first missing permission of the access key, or undefined if all are there. */
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

/** The end of AWS's message (IAM, "Troubleshoot access denied error messages"), or undefined if the request is allowed. */
function reasonToDeny({ statements, boundary }: Principal, right: NeededRight): string | undefined {
  const verdict = evaluate(statements, right);
  if (verdict !== 'allowed') return verdict === 'denied' ? ' with an explicit deny in an identity-based policy' : '';
  const bound = boundary === undefined ? 'allowed' : evaluate(boundary, right);
  if (bound === 'denied') return ' with an explicit deny in a permissions boundary';
  return bound === 'allowed' ? undefined : ` because no permissions boundary allows the ${right.action} action`;
}

/** STS. A caller that is neither a function nor a person is a user with the name of its access key. */
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
