import type { Command } from 'commander';
import type { ConfirmOptions } from './confirm.ts';
import type { DocumentsOptions } from './documents.ts';
import {
  collect,
  folder,
  linkMinutes,
  ofOrder,
  orderReference,
  type Perform,
  positive,
  YOUR_REFERENCE,
} from './shared/arguments.ts';
import type { SignOptions } from './sign.ts';
import type { LinkOptions } from './upload-link.ts';

const FOLDER_REFERENCE = `${YOUR_REFERENCE}; by default the name of the folder`;

/** The commands for a partner's back office. */
export function addPackageCommands(program: Command, perform: Perform): void {
  const ofFolder = (name: string, description: string) =>
    program.command(name).description(description).argument('<folder>', 'the folder of the package');
  ofFolder('init', 'ask for what a package needs, and write its order.json').action((folder: string) =>
    perform(async () => (await import('./init.ts')).init(folder), 'here'),
  );
  ofFolder('lint', 'check a package on this machine as intake checks it; exit code 1 if it has problems')
    .option('--ref <orderRef>', FOLDER_REFERENCE, orderReference)
    .action((folder: string, { ref }: { ref?: string }) =>
      perform(async (place) => (await import('./lint.ts')).lint(place, folder, ref), 'here'),
    );
  program
    .command('submit')
    .description('check packages, upload them to intake, and wait for the answers')
    .argument('<folder...>', 'the folders of the packages')
    .option('--ref <orderRef>', `${FOLDER_REFERENCE}; for one folder`, orderReference)
    .option('--without-unnamed', 'submit without the files that order.json does not name')
    .action((folders: string[], { ref, withoutUnnamed }: { ref?: string; withoutUnnamed?: true }, self: Command) => {
      const [only = ''] = folders;
      if (folders.length === 1) {
        return perform(async (place) => {
          const { askToLeaveOut } = await import('./submit/many.ts');
          const { submit } = await import('./submit.ts');
          return submit(place, only, ref, withoutUnnamed ? {} : { leaveOut: askToLeaveOut });
        });
      }
      if (ref !== undefined) self.error('error: --ref is for one folder: the name of each folder is its reference');
      return perform(async (place) => (await import('./submit/many.ts')).submitMany(place, folders, withoutUnnamed));
    });
  addUploadLink(program, perform);
}

function addUploadLink(program: Command, perform: Perform): void {
  ofOrder(program, 'upload-link', 'print a link with which somebody else can upload one file of an order')
    .argument('<file>', 'its path in the package, such as documents/charter.pdf')
    .option('--minutes <count>', 'how long the link can be used, at most 7 days', linkMinutes, 60)
    .option('--megabytes <count>', 'the largest file', positive, 100)
    .action((orderRef: string, file: string, options: LinkOptions) =>
      perform(async (place) => (await import('./upload-link.ts')).uploadLink(place, orderRef, file, options)),
    );
}

/** The commands for a partner's signer and credit desk. */
export function addPartnerCommands(program: Command, perform: Perform): void {
  ofOrder(program, 'documents', 'list or save the documents of an order that are to be signed')
    .option('--download <folder>', "save them to this folder under the service's names; nothing is overwritten", folder)
    .option('--all', 'every document that is staged, also of earlier rounds')
    .action((orderRef: string, options: DocumentsOptions) =>
      perform(async (place) => (await import('./documents.ts')).documents(place, orderRef, options)),
    );
  addSign(program, perform);
  ofOrder(
    program,
    'offers',
    "compare an order's offers: the ids and codes that confirm takes, and all that the banks say",
  )
    .option('--wide', 'show every column, however wide the terminal is')
    .action((orderRef: string, options: { wide?: true }) =>
      perform(async (place) => (await import('./offers.ts')).offers(place, orderRef, options)),
    );
  ofOrder(program, 'confirm', 'decide on the offers of an order; without options it asks')
    .option('--offer <offerId>', 'take this offer; repeatable, each with its --code', collect)
    .option('--code <code>', 'the credit option of the offer', collect)
    .option('--none', 'take none of the offers')
    .option('--file <decision.json>', 'take the decision from this file')
    .action((orderRef: string, options: ConfirmOptions, command: Command) => {
      const { offer = [], code = [], none, file } = options;
      const ways = [offer.length + code.length > 0, none, file !== undefined].filter(Boolean).length;
      if (ways > 1)
        command.error('error: give either --offer <offerId> --code <code>, or --none, or --file <decision.json>');
      if (offer.length !== code.length) command.error('error: each --offer needs a --code');
      return perform(async (place) => (await import('./confirm.ts')).confirm(place, orderRef, options));
    });
  program
    .command('rule')
    .description('test a rule on a list of offers; exit code 3 when a human must choose')
    .requiredOption('--test <file>', 'the rule, a JSONata expression')
    .argument('<offers.json>', 'a list of offers, in the format of offers.json in staging')
    .option('--order <order.json>', 'the package whose order the rule can read')
    .action((offers: string, { test, order }: { test: string; order?: string }) =>
      perform(async () => (await import('./rule.ts')).testRule(test, offers, order), 'here'),
    );
}

/** Adds `sign`, for one order or for all that wait. */
function addSign(program: Command, perform: Perform): void {
  program
    .command('sign')
    .description('sign the documents of an order on this machine, and upload the signatures to intake')
    .argument('[orderRef]', YOUR_REFERENCE, orderReference)
    .option('--key <file>', 'private key in PEM, RSA or ECDSA; with --openssl also a pkcs11: address or a GOST key')
    .option('--cert <file>', "the signer's certificate in PEM; its chain may follow it")
    .option('--with <program>', 'your own program with its arguments, which signs the file {document} into {signature}')
    .option('--all', 'every order that waits for signatures')
    .option('--openssl', 'only print the shell commands that do the same with the AWS CLI and OpenSSL')
    .action((orderRef: string | undefined, options: SignOptions & { all?: true }, command: Command) => {
      const { key, cert, with: program, all, openssl } = options;
      const isKey = key !== undefined && cert !== undefined && program === undefined;
      const isProgram = program !== undefined && key === undefined && cert === undefined && !openssl;
      if (!isKey && !isProgram) command.error('error: give either --key <file> and --cert <file>, or --with <program>');
      if ((orderRef === undefined) !== (all === true)) command.error('error: give either an orderRef or --all');
      if (all && openssl) command.error('error: --openssl is for one order');
      return perform(async (place, print) =>
        orderRef === undefined
          ? (await import('./sign.ts')).signAll(place, options, print)
          : (await import('./sign.ts')).sign(place, orderRef, options),
      );
    });
}
