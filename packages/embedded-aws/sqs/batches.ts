import { AwsError } from '../protocol/errors.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { checkBatchSize } from './limits.ts';

/** The most entries that a batch of SQS may have. */
const MOST_ENTRIES = 10;

/** Carries out an operation for each entry of a batch. An entry that fails does not keep the others from being carried out. */
export function inBatch(input: JsonObject, operation: (entry: JsonObject) => object): object {
  const entries = Array.isArray(input.Entries) ? input.Entries.filter(isJsonObject) : [];
  checkEntries(entries);
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

/** Throws an AwsError if SQS refuses the whole batch. */
function checkEntries(entries: readonly JsonObject[]): void {
  if (entries.length === 0)
    throw new AwsError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (entries.length > MOST_ENTRIES) {
    const sent = `You have sent ${entries.length}.`;
    throw new AwsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${MOST_ENTRIES}. ${sent}`,
    );
  }
  const ids = entries.map(({ Id }) => String(Id));
  if (!ids.every((id) => /^[\w-]{1,80}$/.test(id))) {
    throw new AwsError(
      'InvalidBatchEntryId',
      'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
    );
  }
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw new AwsError('BatchEntryIdsNotDistinct', `Id ${repeated} repeated.`);
  checkBatchSize(entries);
}
