import {
  GetBucketNotificationConfigurationCommand,
  type GetBucketNotificationConfigurationCommandOutput,
  GetBucketVersioningCommand,
  type GetBucketVersioningCommandOutput,
  S3Client,
} from '@aws-sdk/client-s3';
import { clientSettings } from '../shared/place.ts';
import { ok, problem, type Verdict } from './finding.ts';
import { type StageView, settingsIn } from './stage-view.ts';

/** What a stage needs of buckets that its stack did not create. */
export async function checkGivenBuckets(view: StageView): Promise<Verdict[]> {
  const client = new S3Client(clientSettings(view.options));
  const look = async (Bucket: string, isIntake: boolean) => {
    const versioning = await client.send(new GetBucketVersioningCommand({ Bucket }));
    const notifications = new GetBucketNotificationConfigurationCommand({ Bucket });
    return bucketVerdict(Bucket, versioning, isIntake ? await client.send(notifications) : undefined);
  };
  const { intake, staging } = settingsIn(view).givenBuckets;
  return Promise.all([...(intake ? [look(intake, true)] : []), ...(staging ? [look(staging, false)] : [])]);
}

/** @param sends the notifications of intake; undefined for staging, which needs none. */
export function bucketVerdict(
  name: string,
  { Status }: Pick<GetBucketVersioningCommandOutput, 'Status'>,
  sends?: Pick<GetBucketNotificationConfigurationCommandOutput, 'EventBridgeConfiguration'>,
): Verdict {
  const missing = [
    ...(Status === 'Enabled' ? [] : ['has no versioning, so an upload may replace what an order was started with']),
    ...(sends && !sends.EventBridgeConfiguration ? ['sends nothing to EventBridge, so no order starts'] : []),
  ];
  if (missing.length === 0) return ok(`Bucket ${name} has what the stage needs.`);
  return problem(`Bucket ${name} ${missing.join(', and ')}. Switch it on (docs/settings.md#what-exists-already).`);
}
