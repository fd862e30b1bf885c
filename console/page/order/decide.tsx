import { useState } from 'preact/hooks';
import type { ChangedMember, Difference, Done, OfferFacts, OrderFacts, ShownOffers } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { wordsFor } from '../messages/said.ts';
import { ActionDialog } from '../parts/dialog.tsx';
import { statusWords } from '../parts/format.ts';
import { addressOf, CallFailed, call } from '../state/call.ts';
import { List, titleOf, valueText } from './offer-card.tsx';

export type Picked = ReadonlyMap<string, string>;
export type Shown = ShownOffers & { decisions: number };

interface DecideProps {
  facts: OrderFacts;
  picked: Picked;
  /** The offers as shown. They may change meanwhile, and somebody else may decide. */
  shown: Shown;
  /** Changes the picks after the decision was sent, or refused. */
  onPicks(change: (known: Picked) => Picked): void;
  onClose(): void;
}

/** Asks for confirmation before a loan is taken, and sends the decision. */
export function Decide({ facts, picked, shown, onPicks, onClose }: DecideProps) {
  const [difference, setDifference] = useState<Difference>();
  const words = messages.value.offers;
  const choices = [...picked].map(([offerId, code]) => ({ offerId, code }));
  const decide = async () => {
    const seen = { decisions: shown.decisions, offers: shown.version };
    try {
      await call<Done>(`${addressOf(facts.orderRef)}/decision`, { choices, seen });
    } catch (error) {
      if (!(error instanceof CallFailed) || !error.refused.difference) throw error;
      const overtaken = error.refused.difference;
      const { offers = [] } = overtaken;
      const isSame = ([offerId]: [string, string]) => !offers.some(({ offer }) => offer.offerId === offerId);
      onPicks((known) => new Map([...known].filter(isSame)));
      setDifference(overtaken);
      // An earlier attempt without an answer may have been uploaded before the order ended.
      if (overtaken.over) throw error;
      throw new CallFailed(error.status, { error: words.overtaken });
    }
    onPicks(() => new Map());
    return words.decided;
  };
  return (
    <ActionDialog
      title={words.decideTitle(facts.orderRef)}
      deed={{ what: 'decision', orderRef: facts.orderRef, timeline: facts.timeline }}
      action={words.decide}
      isReady={!difference}
      onAct={decide}
      onClose={onClose}
    >
      {difference ? (
        <Differences {...difference} nameOf={nameIn(shown.offers)} />
      ) : (
        <LastLook facts={facts} choices={choices} offers={shown.offers} />
      )}
    </ActionDialog>
  );
}

interface LastLookProps {
  facts: OrderFacts;
  choices: { offerId: string; code: string }[];
  offers: OfferFacts[];
}

/** Everything that each bank says about the credit option, and a warning about what cannot be undone. */
function LastLook({ facts, choices, offers }: LastLookProps) {
  const words = messages.value.offers;
  const nameOf = nameIn(offers);
  const isTaken = (wanted: string) => choices.some(({ offerId }) => offerId === wanted);
  const dropped = (facts.choices ?? []).filter(({ offerId, state }) => state === 'chosen' && !isTaken(offerId));
  return (
    <>
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
    </>
  );
}

function nameIn(offers: OfferFacts[]) {
  return (offerId: string) => titleOf(offers.find((one) => one.offerId === offerId) ?? { offerId, members: [] });
}

function Terms({ offers, offerId, code }: { offers: OfferFacts[]; offerId: string; code: string }) {
  const offer = offers.find((one) => one.offerId === offerId && one.options.some((option) => option.code === code));
  const option = offer?.options.find((one) => one.code === code);
  return <List members={[...(offer?.members ?? []), ...(option?.members ?? []), ['offerId', offerId]]} />;
}

/** Explains why a decision came too late: the differences from what the page showed. */
function Differences({ over, decided, offers = [], nameOf }: Difference & { nameOf(offerId: string): string }) {
  const { offers: words, happened } = messages.value;
  const taken = decided?.choices?.map(({ offerId, code }) => `${code}, ${nameOf(offerId)}`);
  return (
    <ul>
      {over && (
        <li>{over.isDismissed ? happened('An operator dismissed the order') : words.over(statusWords(over.status))}</li>
      )}
      {decided && <li>{words.decidedMeanwhile(decided.decidedBy, taken?.join('; '))}</li>}
      {offers.map(({ offer, what, changed }) => (
        <li key={offer.offerId}>
          <strong>{titleOf(offer)}</strong>: {words.differs[what]}
          <ul>
            {changed.map((member) => (
              <li key={`${member.code} ${member.path}`}>{changeWords(member)}</li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

function changeWords({ code, path, before, after }: ChangedMember): string {
  const { members, statuses } = messages.value.offers;
  const name = [code, wordsFor(members, path)].filter(Boolean).join(' ');
  const value = (one: unknown) => (path === 'status' ? wordsFor(statuses, valueText(one)) : valueText(one));
  return `${name}: ${value(before)} → ${value(after)}`;
}
