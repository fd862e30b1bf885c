import type { Command } from 'commander';
import { DECISION_BYTES } from '../core/package/decision-limits.ts';
import type { GivenDecision } from '../core/package/decision-schema.ts';
import { publishedOffers } from './offers.ts';
import { type AddCommand, collect, ofOrder, withPlace } from './shared/arguments.ts';
import { connect, type StageConnection } from './shared/connection.ts';
import { readLocalFile } from './shared/local-file.ts';
import type { Seen } from './shared/overtaken.ts';
import type { PlaceOptions } from './shared/place.ts';
import type { CommandResult } from './shared/text.ts';

/** The decision: offers, each with the code at the same position; none of them; or a file. Without any of these, the command asks. */
interface ConfirmOptions {
  offer?: string[];
  code?: string[];
  none?: true;
  file?: string;
}

export const addConfirm: AddCommand = (program, perform) =>
  ofOrder(program, 'confirm', 'decide on the offers of an order; without options it asks')
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
  const [wanted, seen] = await decisionOf(connection, orderRef, given);
  return decideOffers(connection, await connection.buckets(), orderRef, wanted, seen);
}

async function givenBy({ offer, code = [], none, file }: ConfirmOptions): Promise<GivenDecision | undefined> {
  if (file !== undefined) return readDecision(file);
  if (none) return { choices: [] };
  return offer && { choices: offer.map((offerId, at) => ({ offerId, code: code[at] ?? '' })) };
}

/** The given decision, or the one that a person makes now, with the number of decisions that the person has seen. */
async function decisionOf(
  connection: StageConnection,
  orderRef: string,
  given: GivenDecision | undefined,
): Promise<[GivenDecision, seen?: Seen]> {
  if (given) return [given];
  const written = await connection.withDecider({});
  const shown = await undecided(connection, orderRef);
  const choices = await (await import('./confirm/ask-decision.ts')).askDecision({ orderRef, ...shown, written });
  return [
    { choices, ...written },
    { decisions: shown.order.decision.version, offers: shown.version },
  ];
}

async function undecided({ record, buckets }: StageConnection, orderRef: string) {
  const { undecidable } = await import('./confirm/decide.ts');
  const details = await record.details(orderRef);
  const over = undecidable(details);
  if (over) throw over;
  const { value: offers, version } = await publishedOffers(await buckets(), orderRef);
  return { order: details.order, decision: details.decision, offers, version };
}

async function readDecision(path: string): Promise<GivenDecision> {
  const { checkedDecision: checked } = await import('./confirm/decide.ts');
  const bytes = await readLocalFile(path);
  return checked(`${path} is not a decision: nothing was decided.`, bytes.length > DECISION_BYTES ? undefined : bytes);
}
