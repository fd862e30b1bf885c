import { fittingKey } from '../../core/aws/object-key.ts';
import { writeObject } from '../../core/aws/storage.ts';
import { lambdaHandler, stepLog } from '../../core/log.ts';
import { stackSettings } from '../../core/settings.ts';

/**
 * The key of an object of the exchange in staging. Names may contain the name of an uploaded file, so long keys are shortened.
 */
export const exchangeKey = (name: string): string => fittingKey(`legacy/${name}`);

/** The key of a staged request. A `requestId` may contain any character, so it is percent-encoded. */
export const requestKey = (requestId: string): string => exchangeKey(`requests/${encodeURIComponent(requestId)}.json`);

export const publishExchangeText = (key: string, text: string): Promise<string> =>
  writeObject(stackSettings.stagingBucket, key, text);

export const publishExchangeJson = (key: string, value: unknown): Promise<string> =>
  publishExchangeText(key, `${JSON.stringify(value, undefined, 2)}\n`);

/** The handler of a step. Logs have `work` and `upload`, but never a request, a tax number or a name. */
export const exchangeStep = <Step extends { work: string; upload?: string }, Result>(
  work: (step: Step) => Promise<Result>,
) =>
  lambdaHandler(work).use(
    stepLog<Step>({
      keys: ({ work, upload }) => ({ work, upload }),
      publishRefusal: (_step, name, refusal) => publishExchangeJson(exchangeKey(name), refusal),
    }),
  );
