import { dirname } from 'node:path/posix';
import { paginateListObjectsV2 } from '@aws-sdk/client-s3';
import type { RecordTable } from '../../core/aws/record-table.ts';
import { inBatches } from '../../core/in-batches.ts';
import { isOrderRef } from '../../core/package/intake-key.ts';
import { ANSWERS_PREFIX, answersIn, type RejectedUpload } from '../../core/staging/rejected-upload.ts';
import type { Buckets } from './buckets.ts';
import { problemText } from './rejection-text.ts';

/** A rejected upload as lists show it: the newest version of its key. Times are ISO 8601 in UTC. */
export interface RejectedLine extends Pick<RejectedUpload, 'kind' | 'key' | 'problems'> {
  /** When a version of this key was first rejected, as far as answers are retained. */
  since: string;
  lastAt: string;
  why: string[];
  answer: string;
}

/** The answer to the newest version of a key, and the time of the key's first answer. */
type Newest = Record<'answer' | 'etag' | 'lastAt' | 'since', string>;

/** The most answers that a list reads, newest first. */
const MOST_READ = 1_000;
/** DynamoDB's limit for one request. */
const MOST_KEYS = 100;
/** A key that was too long has no folder. No other key contains `~`. */
const IS_CUT = /~[0-9a-f]{16}\.json$/;

export class RejectedUploads {
  readonly #buckets: Buckets;
  readonly #table: RecordTable;
  /** The answers of the last read, by key and ETag, so the console reads only new ones. */
  #read = new Map<string, RejectedUpload>();
  readonly #recorded = new Set<string>();

  constructor(buckets: Buckets, table: RecordTable) {
    this.#buckets = buckets;
    this.#table = table;
  }

  /** The rejected uploads that are not superseded, newest first, and the number of older answers that were not read. */
  async list(prefix = ANSWERS_PREFIX): Promise<{ lines: RejectedLine[]; older: number }> {
    const newest = await this.#newest(prefix);
    const shown = newest.slice(0, MOST_READ);
    const read = new Map<string, RejectedUpload>();
    await inBatches(shown, async (one) => {
      const name = `${one.answer} ${one.etag}`;
      const upload = this.#read.get(name) ?? (await this.#buckets.stagedAt<RejectedUpload>(one.answer));
      // S3 may have removed it meanwhile.
      if (upload) read.set(name, upload);
    });
    this.#read = read;
    await this.#findRecorded([...read.values()].flatMap(supersedingOrder));
    const lines = shown.flatMap(({ answer, etag, since, lastAt }): RejectedLine[] => {
      const upload = read.get(`${answer} ${etag}`);
      if (!upload || supersedingOrder(upload).some((orderRef) => this.#recorded.has(orderRef))) return [];
      const { kind, key, problems } = upload;
      return [{ kind, key, since, lastAt, why: problems.map(problemText), problems, answer }];
    });
    return { lines, older: newest.length - shown.length };
  }

  async inFolder(orderRef: string): Promise<RejectedLine[]> {
    return (await this.list(answersIn(orderRef))).lines;
  }

  async #newest(Prefix: string): Promise<Newest[]> {
    const { client, staging: Bucket } = this.#buckets;
    const newest = new Map<string, Newest>();
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
      for (const { Key: answer = '', ETag: etag = '', LastModified = new Date(0) } of Contents) {
        const at = LastModified.toISOString();
        const upload = IS_CUT.test(answer) ? answer : dirname(answer);
        const { since, ...latest } = newest.get(upload) ?? { since: at, answer, etag, lastAt: at };
        const last = at < latest.lastAt ? latest : { answer, etag, lastAt: at };
        newest.set(upload, { ...last, since: since < at ? since : at });
      }
    }
    return [...newest.values()].sort((one, other) => other.lastAt.localeCompare(one.lastAt));
  }

  async #findRecorded(orderRefs: string[]): Promise<void> {
    const unknown = [...new Set(orderRefs)].filter((orderRef) => !this.#recorded.has(orderRef));
    for (let at = 0; at < unknown.length; at += MOST_KEYS) {
      const keys = unknown.slice(at, at + MOST_KEYS).map((orderRef) => ({ orderRef, item: 'order' }));
      for (const order of await this.#table.getItems(keys)) if (order) this.#recorded.add(String(order.orderRef));
    }
  }
}

/** The order that supersedes the answer as soon as it is recorded; none if the answer came later, or no order has such a folder. */
function supersedingOrder({ key, afterStart }: RejectedUpload): string[] {
  const [, folder = ''] = /^orders\/([^/]+)\//.exec(key) ?? [];
  return !afterStart && isOrderRef(folder) ? [folder] : [];
}
