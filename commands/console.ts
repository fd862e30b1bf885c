import { once } from 'node:events';
import { type AddCommand, type Print, port } from './shared/arguments.ts';
import type { PlaceOptions } from './shared/place.ts';
import { isOutputPublic } from './shared/public-output.ts';
import { type CommandResult, Refusal } from './shared/text.ts';

const PUBLIC =
  'The address that this prints opens the console, and others can read the file that it goes to: nothing was started. Use a terminal, or a file that only you can read.';

export const addConsole: AddCommand = (program, perform) =>
  program
    .command('console')
    .description('serve a page at 127.0.0.1 on which to watch, sign, decide and submit; until Ctrl-C')
    .option('--port <port>', 'its port; by default any free one', port, 0)
    .action((options: { port: number }) => perform((place, print) => serve(place, options, print)));

async function serve(
  place: PlaceOptions,
  { port }: { port: number },
  print: Print | undefined,
): Promise<CommandResult> {
  if (isOutputPublic()) throw new Refusal(PUBLIC);
  const { startConsole } = await import('../console/server/console.ts');
  const show = (address: string) =>
    print ? print(`Console: ${address}`) : process.stdout.write(`${JSON.stringify({ address })}\n`);
  const served = await startConsole({ place, port, onAddress: show });
  print?.('The address works once; after each use the next one is printed here. Ctrl-C ends the console.');
  await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  await served.close();
  return { lines: ['The console has ended.'], json: { ended: true } };
}
