import { type ProgressResult, progress } from '@clack/prompts';
import { INTERRUPTED } from '../refusal.ts';
import { bytes, some } from '../text.ts';
import type { FileToUpload } from './upload.ts';

/** Shows on standard error how much of an upload is done: a bar on a terminal, and one line for each file elsewhere. */
export class UploadProgress {
  readonly #files: FileToUpload[];
  readonly #bar: ProgressResult | undefined;
  #done = 0;
  #current = 0;
  readonly #onInterrupt = () => this.#interrupted();

  constructor(files: FileToUpload[]) {
    this.#files = files;
    const max = files.reduce((sum, { size }) => sum + size, 0);
    if (files.length === 0) return;
    process.once('SIGINT', this.#onInterrupt);
    if (!process.stderr.isTTY) return;
    this.#bar = progress({ max, output: process.stderr, withGuide: false, onCancel: this.#onInterrupt });
    this.#bar.start(`Uploading ${some(files.length, 'file')}, ${bytes(max)}`);
  }

  begin(file: FileToUpload): void {
    this.#current += 1;
    const line = `${this.#current} of ${this.#files.length}: ${file.name}, ${bytes(file.size)}`;
    if (this.#bar) this.#bar.message(line);
    else process.stderr.write(`Uploading ${line}\n`);
  }

  /** So many bytes more are stored. */
  add(stored: number): void {
    this.#done += stored;
    this.#bar?.advance(stored);
  }

  end(): void {
    process.removeListener('SIGINT', this.#onInterrupt);
    this.#bar?.stop(`${bytes(this.#done)} uploaded`);
  }

  #interrupted(): void {
    const complete = Math.max(0, this.#current - 1);
    // The last file is order.json, which starts the order as soon as it is stored.
    const isLast = this.#current === this.#files.length;
    const order = isLast ? 'it is unknown whether the order was started' : 'no order was started';
    process.stderr.write(
      `\nStopped: ${complete} of ${some(this.#files.length, 'file')} are in intake, and ${order}. ` +
        'Run the same command again to go on from there: it starts no order twice.\n',
    );
    process.exit(INTERRUPTED);
  }
}

/** Shows on standard error how many of several packages have their answers: a bar on a terminal, one line for each elsewhere. */
export class PackageProgress {
  readonly #count: number;
  readonly #bar: ProgressResult | undefined;
  #done = 0;
  readonly #onInterrupt = () => this.#interrupted();

  constructor(count: number) {
    this.#count = count;
    process.once('SIGINT', this.#onInterrupt);
    if (!process.stderr.isTTY) return;
    this.#bar = progress({ max: count, output: process.stderr, withGuide: false, onCancel: this.#onInterrupt });
    this.#bar.start(`Submitting ${some(count, 'package')}`);
  }

  add(orderRef: string, accepted: boolean): void {
    this.#done += 1;
    const line = `${this.#done} of ${this.#count}: ${orderRef} ${accepted ? 'was accepted' : 'was not accepted'}`;
    if (this.#bar) this.#bar.advance(1, line);
    else process.stderr.write(`${line}\n`);
  }

  end(): void {
    process.removeListener('SIGINT', this.#onInterrupt);
    this.#bar?.stop(`${some(this.#done, 'package')} answered`);
  }

  #interrupted(): void {
    process.stderr.write(
      `\nStopped: ${this.#done} of ${some(this.#count, 'package')} have their answers, and some others may be in intake. ` +
        'Run the same command again: it submits nothing twice.\n',
    );
    process.exit(INTERRUPTED);
  }
}
