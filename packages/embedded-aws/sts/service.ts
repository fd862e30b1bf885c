import type { Account } from '../account.ts';
import type { IamService } from '../iam/service.ts';
import type { QueryService } from '../protocol/query-service.ts';

/** The API version in requests, which have no other sign of their service. */
export const STS_VERSION = '2011-06-15';

/** STS: says who calls. A key that belongs to no function and no person is a user of the same name. */
export function stsQuery({ accountId }: Account, iam: IamService): QueryService {
  return {
    name: 'STS',
    version: STS_VERSION,
    operations: {
      GetCallerIdentity: (_input, accessKeyId) => ({
        Arn: iam.arnOf(accessKeyId),
        UserId: accessKeyId,
        Account: accountId,
      }),
    },
  };
}
