import type { Done, OfferFacts, OrderFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { ActionDialog } from '../parts/dialog.tsx';
import { addressOf, call } from '../state/call.ts';
import { List, titleOf } from './offer-card.tsx';

export type Picked = ReadonlyMap<string, string>;

interface DecideProps {
  facts: OrderFacts;
  offers: OfferFacts[];
  picked: Picked;
  /** How many decisions there were when the person was asked. Meanwhile somebody else may decide. */
  seen: number;
  onClose(): void;
}

/** The last look before a loan is taken: all that each bank says of the credit option, and what cannot be undone. */
export function Decide({ facts, offers, picked, seen, onClose }: DecideProps) {
  const words = messages.value.offers;
  const choices = [...picked].map(([offerId, code]) => ({ offerId, code }));
  const dropped = (facts.choices ?? []).filter(({ offerId, state }) => state === 'chosen' && !picked.has(offerId));
  const nameOf = (offerId: string) => {
    const offer = offers.find((one) => one.offerId === offerId);
    return offer ? titleOf(offer) : offerId;
  };
  const decide = async () => {
    await call<Done>(`${addressOf(facts.orderRef)}/decision`, { choices, seen });
    return words.decided;
  };
  return (
    <ActionDialog title={words.decideTitle(facts.orderRef)} action={words.decide} onAct={decide} onClose={onClose}>
      <p>{choices.length > 0 ? words.does : words.doesNone}</p>
      <ul>
        {choices.map(({ offerId, code }) => (
          <li key={offerId}>
            <strong>{code}</strong>, {nameOf(offerId)}
            <Terms offers={offers} offerId={offerId} code={code} />
          </li>
        ))}
        {dropped.map(({ offerId, code }) => (
          <li key={offerId}>{words.dropped(`${code}, ${nameOf(offerId)}`)}</li>
        ))}
      </ul>
      <p>{words.decidedByYou}</p>
      {choices.length > 0 && <p class="notice people">{words.final}</p>}
    </ActionDialog>
  );
}

function Terms({ offers, offerId, code }: { offers: OfferFacts[]; offerId: string; code: string }) {
  const offer = offers.find((one) => one.offerId === offerId && one.options.some((option) => option.code === code));
  const option = offer?.options.find((one) => one.code === code);
  return <List members={[...(offer?.members ?? []), ...(option?.members ?? []), ['offerId', offerId]]} />;
}
