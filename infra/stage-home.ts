import type { Stage } from './stages.ts';

/** The account and region of a stage, as far as its settings name them. */
export type StageHome = Pick<Stage, 'name' | 'account' | 'region' | 'namePrefix' | 'stackName'>;

/** The `env` of a stage's stacks. What the stage does not name comes from the credentials of the deployment. */
export function environmentOf({ account, region }: StageHome): { env?: { account?: string; region?: string } } {
  return { env: { ...(account !== undefined && { account }), ...(region !== undefined && { region }) } };
}

/** One sentence if the credentials or the region do not match the stage. Unknown values are not compared. */
export function mismatch(
  { name, account, region }: StageHome,
  actual: { account?: string | undefined; region?: string | undefined },
): string | undefined {
  if (account !== undefined && actual.account !== undefined && actual.account !== account)
    return (
      `The credentials are of account ${actual.account}, but stage ${name} belongs to account ${account}: ` +
      'sign in to that account, then repeat.'
    );
  if (region !== undefined && actual.region !== undefined && actual.region !== region)
    return (
      `The region is ${actual.region}, but stage ${name} belongs to region ${region}: ` +
      'set AWS_REGION to it, then repeat.'
    );
  return undefined;
}
