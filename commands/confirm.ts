import type { Command } from 'commander';
import { DECISION_BYTES } from '../core/package/decision-limits.ts';
import type { GivenDecision } from '../core/package/decision-schema.ts';
import { publishedOffers } from './offers.ts';
import { type AddCommand, collect, ofOrder, withPlace } from './shared/arguments.ts';
import { connect, type StageConnection } from './shared/connection.ts';
import { readLocalFile } from './shared/local-file.ts';
import type { PlaceOptions } from './shared/place.ts';
import { takeableOffers, takeableSentence } from './shared/takeable-offers.ts';
import { type CommandResult, Refusal } from './shared/text.ts';

/** The decision: offers, each with the code at the same position; none of them; or a file. */
interface ConfirmOptions {
  offer?: string[];
  code?: string[];
  none?: true;
  file?: string;
}

export const addConfirm: AddCommand = (program, perform) =>
  ofOrder(program, 'confirm', 'decide on the offers of an order')
    .option('--offer <offerId>', 'take this offer; repeatable, each with its --code', collect)
    .option('--code <code>', 'the credit option of the offer', collect)
    .option('--none', 'take none of the offers')
    .option('--file <decision.json>', 'take the decision from this file')
    .action((orderRef: string, options: ConfirmOptions, self: Command) => {
      const { offer = [], code = [], none, file } = options;
      const ways = [offer.length + code.length > 0, none, file !== undefined].filter(Boolean).length;
      if (ways > 1)
        self.error('error: give either --offer <offerId> --code <code>, or --none, or --file <decision.json>');
      if (offer.length !== code.length) self.error('error: each --offer needs a --code');
      return withPlace(perform, confirm)(orderRef, options);
    });

/** Checks a decision against the staged offers, then uploads it to intake as `decision.json`. */
export async function confirm(place: PlaceOptions, orderRef: string, options: ConfirmOptions): Promise<CommandResult> {
  const { decideOffers } = await import('./confirm/decide.ts');
  const given = await givenBy(options);
  const connection = await connect(place);
  if (!given) throw await nothingGiven(connection, orderRef);
  return decideOffers(connection, await connection.buckets(), orderRef, given);
}

async function givenBy({ offer, code = [], none, file }: ConfirmOptions): Promise<GivenDecision | undefined> {
  if (file !== undefined) return readDecision(file);
  if (none) return { choices: [] };
  return offer && { choices: offer.map((offerId, at) => ({ offerId, code: code[at] ?? '' })) };
}

/** Says which offers a decision can take. */
async function nothingGiven({ record, buckets }: StageConnection, orderRef: string): Promise<Refusal> {
  const { undecidable } = await import('./confirm/decide.ts');
  const over = undecidable(await record.details(orderRef));
  if (over) return over;
  const { value: offers } = await publishedOffers(await buckets(), orderRef);
  return new Refusal(
    `Nothing was decided on order ${orderRef}: give --offer <offerId> --code <code>, --none, or --file <decision.json>. ${takeableSentence(takeableOffers(offers))}`,
  );
}

async function readDecision(path: string): Promise<GivenDecision> {
  const { checkedDecision: checked } = await import('./confirm/decide.ts');
  const bytes = await readLocalFile(path);
  return checked(`${path} is not a decision: nothing was decided.`, bytes.length > DECISION_BYTES ? undefined : bytes);
}
