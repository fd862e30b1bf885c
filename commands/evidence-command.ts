import type { Command } from 'commander';
import { orderReference, type Perform } from './arguments.ts';
import type { EvidenceOptions } from './evidence.ts';

interface Options extends EvidenceOptions {
  verify?: string;
  cert?: string;
}

/** The command that writes the evidence of an order, and checks it. */
export function addEvidenceCommand(program: Command, perform: Perform): void {
  program
    .command('evidence')
    .description('write everything that is known of an order into one archive, or check such an archive')
    .argument('[orderRef]', 'your reference for the order', orderReference)
    .option('--out <file>', 'the archive to write; by default <orderRef>.evidence.zip in this folder')
    .option('--unsigned', "do not sign the manifest with the stage's key for evidence")
    .option('--verify <archive>', 'check this archive; needs no network')
    .option(
      '--cert <file>',
      "with --verify: the certificate of the stage's key for evidence, or of its authority, in PEM",
    )
    .action((orderRef: string | undefined, { verify, cert, ...options }: Options, command: Command) => {
      if ((orderRef === undefined) === (verify === undefined))
        command.error('error: give either an orderRef or --verify <archive>');
      if (verify === undefined && cert !== undefined) command.error('error: --cert is for --verify');
      if (verify !== undefined && Object.keys(options).length > 0) command.error('error: --verify writes no archive');
      return verify === undefined
        ? perform(async (place) =>
            (await import('./evidence.ts')).evidence(place, orderRef ?? '', { ...options, isCommand: true }),
          )
        : perform(async () => (await import('./evidence/verify.ts')).verify(verify, cert), 'here');
    });
}
