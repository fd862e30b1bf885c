import { Duration } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { retentionSettings, variables } from '../../core/settings.ts';
import type { Stage } from '../stages.ts';
import type { StageBucket } from './kept-data.ts';

/** How long superseded versions in staging are kept, if the order is not removed earlier. */
const STAGING_HISTORY_DAYS = 90;

/** The sweep (`core/recovery/remove-due.ts`) removes data of ended orders after these days (`order-settings.ts`), or never. */
export function retentionOfOrders({ retention: { documentsDays, recordDays, legalHold } }: Stage) {
  const days = (setting: number | 'keep') => (legalHold || setting === 'keep' ? undefined : setting);
  return variables(retentionSettings, { documentsDays: days(documentsDays), recordDays: days(recordDays) });
}

/**
 * S3 removes what belongs to no single order.
 * @param answers the prefix of answers to rejected uploads, which expire like the files of an order.
 */
export function addRetention(staging: StageBucket, { retention }: Stage, answers?: string): void {
  const { documentsDays, legalHold } = retention;
  // A given bucket has the rules of its owner.
  if (!(staging instanceof Bucket) || legalHold) return;
  staging.addLifecycleRule({ id: 'history', noncurrentVersionExpiration: Duration.days(STAGING_HISTORY_DAYS) });
  if (answers === undefined || documentsDays === 'keep') return;
  staging.addLifecycleRule({ id: 'rejected', prefix: answers, expiration: Duration.days(documentsDays) });
  // S3 leaves a marker with the name of the file, which needs a rule of its own.
  staging.addLifecycleRule({ id: 'rejected-markers', prefix: answers, expiredObjectDeleteMarker: true });
}
