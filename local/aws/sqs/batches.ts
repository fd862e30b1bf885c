import { AwsError } from '../protocol/errors.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';

/** The most entries that a batch of SQS may have. */
const MOST_ENTRIES = 10;

/** Carries out an operation for each entry of a batch. An entry that fails does not keep the others from being carried out. */
export function inBatch(input: JsonObject, operation: (entry: JsonObject) => object | undefined): object {
  const entries = Array.isArray(input.Entries) ? input.Entries.filter(isJsonObject) : [];
  if (entries.length === 0 || entries.length > MOST_ENTRIES) {
    throw new AwsError('InvalidBatchEntry', `A batch has 1 to ${MOST_ENTRIES} entries.`);
  }
  const [Successful, Failed]: [object[], object[]] = [[], []];
  for (const entry of entries) {
    const { Id } = entry;
    try {
      Successful.push({ Id, ...operation({ ...entry, QueueUrl: input.QueueUrl ?? '' }) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      Failed.push({ Id, Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { Successful, Failed };
}
