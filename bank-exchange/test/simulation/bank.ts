import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { command } from '../../../test/simulation/people/command.ts';
import { Dice } from '../../../test/simulation/plan/dice.ts';
import type { Schedule } from '../../../test/simulation/world/schedule.ts';
import type { Tally } from '../../../test/simulation/world/tally.ts';
import { innProblem } from '../../core/inn.ts';
import type { UploadItem } from '../../core/upload.ts';
import type { ExchangeSimulator } from '../../simulator/index.ts';

export interface BankOptions {
  seed: string;
  s3: S3Client;
  intakeBucket: string;
  /** The endpoint of the embedded AWS. */
  endpoint: string;
  simulator: ExchangeSimulator;
  schedule: Schedule;
  operated: Tally;
}

/** Virtual seconds in which users apply and the bank uploads. */
const BUSY = 3600;
const USERS = 30;

/** The users who leave requests and tax numbers, the bank that answers them, and its operator. */
export class Bank {
  readonly #options: BankOptions;
  /** The last status that was uploaded for each request. */
  readonly statuses = new Map<string, string>();
  /** The valid tax numbers that users left. */
  readonly numbers: string[] = [];
  /** The number of uploads of offers for each batch. */
  readonly offers = new Map<string, number>();

  constructor(options: BankOptions) {
    this.#options = options;
  }

  /** Schedules everything that users do, as the seed says. */
  open(): void {
    const { seed, schedule } = this.#options;
    for (let user = 0; user < USERS; user += 1) {
      const dice = new Dice(seed, 'user', user);
      schedule.later(dice.between(0, BUSY), () => this.#leave(dice));
    }
  }

  /** Uploads offers for every tax number of each new batch. */
  async score(batches: readonly { batch: string; staged: { numbers: readonly string[] } }[]): Promise<void> {
    for (const { batch, staged } of batches) {
      if (this.offers.has(batch)) continue;
      this.offers.set(batch, 1);
      const offers = staged.numbers.map((inn) => ({ inn, amount: 1_000_000 }));
      await this.#upload(`legacy/offers/${batch}.json`, JSON.stringify({ offers }));
    }
  }

  /** Retries failed uploads as docs/operations.md says. */
  async tend(): Promise<void> {
    const { endpoint, operated } = this.#options;
    const { code: listed, json } = await command(endpoint, 'legacy', 'uploads', '--state', 'failed');
    if (listed !== 0) return operated.add('failed to list failed uploads');
    const failed = json as UploadItem[];
    for (const { upload, what, name } of failed) {
      if (this.unknown.has(name)) continue;
      const { code } = await command(endpoint, 'legacy', 'retry', upload);
      operated.add(code === 0 ? `retried: ${what}` : `not retried because its outcome is unknown: ${what}`);
      if (code !== 0) this.unknown.add(name);
    }
  }

  /** Batches whose offers have an unknown outcome. */
  readonly unknown = new Set<string>();

  #leave(dice: Dice): void {
    const { simulator, schedule } = this.#options;
    for (const { requestId } of simulator.exchange.addRequests(dice.between(1, 4))) {
      const decided = dice.between(600, 3600);
      schedule.later(decided, () => this.#status(requestId, '{"newStatus":"inProgress"}'));
      const issued = `{"newStatus":"issued","loanAmount":${dice.between(1, 10_000_000)}.50,"loanTerm":12}`;
      if (dice.chance(0.5)) schedule.later(decided + dice.between(1, 900), () => this.#status(requestId, issued));
    }
    if (!dice.chance(0.3)) return;
    const number = taxNumber(dice);
    this.numbers.push(number);
    simulator.exchange.addTaxNumbers([number, '1234567890']);
  }

  async #status(requestId: string, status: string): Promise<void> {
    this.statuses.set(requestId, status);
    await this.#upload(`legacy/status/${requestId}.json`, status);
  }

  async #upload(Key: string, Body: string): Promise<void> {
    const { s3, intakeBucket: Bucket } = this.#options;
    await s3.send(new PutObjectCommand({ Bucket, Key, Body }));
  }
}

/** A random tax number of an organization with a valid control digit. */
function taxNumber(dice: Dice): string {
  const digits = String(dice.between(100_000_000, 999_999_999));
  const numbers = Array.from({ length: 10 }, (_number, control) => `${digits}${control}`);
  return numbers.find((number) => innProblem(number) === undefined) ?? taxNumber(dice);
}
