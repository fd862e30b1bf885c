import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { stackSettings, variableOf } from '../core/settings.ts';
import { type AddCommand, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { ignoring } from './shared/failure.ts';
import { clientSettings } from './shared/place.ts';
import { namesInStack } from './shared/stack-outputs.ts';
import { type CommandResult, columns, some, time } from './shared/text.ts';

/** Step Functions redrives an execution for 14 days after its end (RedriveExecution), with the versions that its definition names. */
const REDRIVE = 14 * 86_400_000;

export const addVersions: AddCommand = (program, perform) =>
  program
    .command('versions')
    .description("list the functions' versions that no execution needs; they may hold network interfaces")
    .option('--delete', 'delete them; administrators may')
    .action(withConnection(perform, versions));

type OldVersion = ReturnType<typeof replacedOf>[number];

async function versions(stage: StageConnection, { delete: isToDelete = false }): Promise<CommandResult> {
  const { DeleteFunctionCommand, LambdaClient, paginateListVersionsByFunction } = await import(
    '@aws-sdk/client-lambda'
  );
  const client = new LambdaClient(clientSettings(stage.place));
  const since = new Date(Date.now() - REDRIVE).toISOString();
  const replaced: OldVersion[] = [];
  for (const FunctionName of await namesInStack(stage.place, 'AWS::Lambda::Function')) {
    const published: FunctionConfiguration[] = [];
    for await (const { Versions = [] } of paginateListVersionsByFunction({ client }, { FunctionName }))
      published.push(...Versions.filter(({ Version }) => Version !== '$LATEST'));
    replaced.push(...replacedOf(FunctionName, published));
  }
  const inUse = await releasesInUse(stage, since);
  // A version of before this release may not name its own.
  const isNeeded = ({ release }: OldVersion) => (release === undefined ? inUse.size > 1 : inUse.has(release));
  const old = replaced.filter((version) => version.replacedAt < since && !isNeeded(version));
  if (isToDelete)
    for (const { FunctionName, Qualifier } of old)
      await client.send(new DeleteFunctionCommand({ FunctionName, Qualifier })).catch(ignoring(isGone));
  const rows = old.map(({ release = '', ...one }) => [one.FunctionName, one.Qualifier, release, time(one.replacedAt)]);
  const next = isToDelete ? ' They are deleted.' : ' "loan-orders versions --delete" deletes them.';
  return {
    lines: [
      ...(old.length > 0 ? [...columns([['FUNCTION', 'VERSION', 'RELEASE', 'REPLACED'], ...rows]), ''] : []),
      `No execution needs ${some(old.length, 'version')} of functions.${old.length > 0 ? next : ''}`,
    ],
    json: { versions: old, deleted: isToDelete },
  };
}

/** The SDK repeats a call whose answer was lost, and somebody else may delete them at the same time. */
const isGone = ({ name }: Error) => name === 'ResourceNotFoundException';

/** The versions of a function that a later one has replaced, oldest first. Numbers are never used again. */
function replacedOf(FunctionName: string, published: readonly FunctionConfiguration[]) {
  const sorted = published.toSorted((one, other) => Number(one.Version) - Number(other.Version));
  return sorted.slice(0, -1).map(({ Version = '', Environment }, at) => ({
    FunctionName,
    Qualifier: Version,
    release: Environment?.Variables?.[variableOf(stackSettings, 'release')],
    replacedAt: new Date(sorted[at + 1]?.LastModified ?? Date.now()).toISOString(),
  }));
}

/** The deployed release, and those of the orders that are open or changed since. */
async function releasesInUse({ record, outputs }: StageConnection, since: string): Promise<Set<string>> {
  const orders = [await record.open(), await record.changed(since)].flat();
  const inUse = orders.flatMap(({ release, moveTo }) => [release, moveTo?.release]);
  return new Set([outputs('Release'), ...inUse].filter((release) => release !== undefined));
}
