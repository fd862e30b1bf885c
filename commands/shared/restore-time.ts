import type { TableDescription } from '@aws-sdk/client-dynamodb';

/** Compares everything. */
const EVER = '1970-01-01T00:00:00Z';

/**
 * The time since which `restored` must compare an adopted table with the uploads. A table that was never restored, or in another region or
 * account, says nothing of it.
 */
export function timeToCompare({ TableArn, RestoreSummary }: TableDescription): string {
  const { SourceTableArn, RestoreDateTime } = RestoreSummary ?? {};
  const isHere = SourceTableArn !== undefined && homeOf(SourceTableArn) === homeOf(TableArn);
  return (isHere && RestoreDateTime?.toISOString()) || EVER;
}

const homeOf = (arn = '') => arn.split(':').slice(3, 5).join();
