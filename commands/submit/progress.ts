import { progress } from '@clack/prompts';
import { formatBytes, INTERRUPTED, some } from '../shared/text.ts';
import type { FileToUpload } from './upload.ts';

export type UploadProgress = ReturnType<typeof uploadProgress>;

export const silent: UploadProgress = { begin: () => undefined, add: () => undefined, end: () => undefined };

/** Shows on standard error how much of an upload is done: a bar on a terminal, and one line for each file elsewhere. */
export function uploadProgress(files: FileToUpload[]) {
  const count = some(files.length, 'file');
  const size = files.reduce((sum, file) => sum + file.size, 0);
  let [done, current] = [0, 0];
  const shown = openBar(size, `Uploading ${count}, ${formatBytes(size)}`, () => {
    // Once order.json is stored, the next file may start the order. It is the last file, and the first one too if it is corrected.
    const mayBeStarted = current === files.length || files[0]?.name === 'order.json';
    const order = mayBeStarted ? 'it is unknown whether the order was started' : 'no order was started';
    const complete = `${Math.max(0, current - 1)} of ${count} are in intake, and ${order}.`;
    return `${complete} Run the same command again to go on from there: it starts no order twice.`;
  });
  return {
    begin: ({ name, size: ownSize }: FileToUpload) => {
      current += 1;
      const line = `${current} of ${files.length}: ${name}, ${formatBytes(ownSize)}`;
      if (shown.bar) shown.bar.message(line);
      else process.stderr.write(`Uploading ${line}\n`);
    },
    add: (stored: number) => {
      done += stored;
      shown.bar?.advance(stored);
    },
    end: () => shown.close(`${formatBytes(done)} uploaded`),
  };
}

/** Shows on standard error how many of several packages are answered: a bar on a terminal, one line for each elsewhere. */
export function packageProgress(count: number) {
  const packages = some(count, 'package');
  let done = 0;
  const shown = openBar(count, `Submitting ${packages}`, () => {
    const answered = `${done} of ${packages} have their answers, and some others may be in intake.`;
    return `${answered} Run the same command again: it submits nothing twice.`;
  });
  return {
    add: (orderRef: string, accepted: boolean) => {
      done += 1;
      const line = `${done} of ${count}: ${orderRef} ${accepted ? 'was accepted' : 'was not accepted'}`;
      if (shown.bar) shown.bar.advance(1, line);
      else process.stderr.write(`${line}\n`);
    },
    end: () => shown.close(`${some(done, 'package')} answered`),
  };
}

/** The bar, if there is a terminal. Until it is closed, Ctrl-C writes what `stopped` returns and ends the command. */
function openBar(max: number, title: string, stopped: () => string) {
  const stop = () => {
    process.stderr.write(`\nStopped: ${stopped()}\n`);
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', stop);
  const hasBar = max > 0 && process.stderr.isTTY;
  const bar = hasBar ? progress({ max, output: process.stderr, withGuide: false, onCancel: stop }) : undefined;
  bar?.start(title);
  const close = (summary: string) => {
    process.removeListener('SIGINT', stop);
    bar?.stop(summary);
  };
  return { bar, close };
}
