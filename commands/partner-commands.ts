import type { Command } from 'commander';
import { collect, orderReference, type Perform } from './arguments.ts';
import type { Wish } from './confirm.ts';
import type { SignOptions } from './sign.ts';

/** What a partner's signer and credit desk do with orders. */
export function addPartnerCommands(program: Command, perform: Perform): void {
  const ofOrder = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .argument('<orderRef>', 'your reference of the order', orderReference);
  ofOrder('sign', 'sign on this machine what an order has to sign, and put the signatures into intake')
    .requiredOption('--key <file>', 'private key in PEM, RSA or ECDSA; an encrypted one is asked for its passphrase')
    .requiredOption('--cert <file>', "the signer's certificate in PEM; its chain may follow it")
    .option('--openssl', 'only print the shell lines that do the same by hand, with AWS CLI and OpenSSL')
    .action((orderRef: string, options: SignOptions) =>
      perform(async (place) => (await import('./sign.ts')).sign(place, orderRef, options)),
    );
  ofOrder('offers', "an order's offers, with what a decision names them by").action((orderRef: string) =>
    perform(async (place) => (await import('./offers.ts')).offers(place, orderRef)),
  );
  ofOrder('confirm', 'decide on the offers of an order')
    .option('--offer <offerId>', 'take this offer; may be said several times, each with its --code', collect)
    .option('--code <code>', 'by this credit option', collect)
    .option('--none', 'take none of the offers')
    .option('--file <decision.json>', 'decide as this file says')
    .action((orderRef: string, options: ConfirmOptions, command: Command) => {
      const wish = wishOf(options, command);
      return perform(async (place) => (await import('./confirm.ts')).confirm(place, orderRef, wish));
    });
  program
    .command('rule')
    .description('try a rule on offers, as the workflow would apply it; exit code 3 when a human must choose')
    .requiredOption('--test <file>', 'the rule, a JSONata expression')
    .argument('<offers.json>', 'a list of offers, as staging has it')
    .option('--order <order.json>', 'the package, whose order the rule sees')
    .action((offers: string, { test, order }: { test: string; order?: string }) =>
      perform(async () => (await import('./rule.ts')).testRule({ rule: test, offers, order })),
    );
}

interface ConfirmOptions {
  offer?: string[];
  code?: string[];
  none?: true;
  file?: string;
}

function wishOf({ offer = [], code = [], none, file }: ConfirmOptions, command: Command): Wish {
  const ways = [offer.length + code.length > 0, none, file !== undefined].filter(Boolean).length;
  if (ways !== 1)
    command.error('error: say either --offer <offerId> --code <code>, or --none, or --file <decision.json>');
  if (offer.length !== code.length) command.error('error: give each --offer its --code');
  return file === undefined ? { choices: offer.map((offerId, at) => ({ offerId, code: code[at] ?? '' })) } : { file };
}
