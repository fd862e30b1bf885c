import { useState } from 'preact/hooks';
import type { ChangedMember, Difference, Done, OfferFacts, OrderFacts, ShownOffers } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { wordsFor } from '../messages/said.ts';
import { FactList } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { companyOf, nameOf, statusWords } from '../parts/format.ts';
import { addressOf, CallFailed, call } from '../state/call.ts';
import {
  memberText,
  namedFacts,
  type OfferRow,
  offerStatus,
  rowsOf,
  takeWords,
  titleOf,
  valueText,
} from './offer-rows.ts';

/** The codes that the person has picked, by `offerId`. */
export type Picked = ReadonlyMap<string, string>;
export type Shown = ShownOffers & { decisions: number };

export interface DecideProps {
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
  const rows = rowsOf(shown.offers).filter(({ offer, code }) => picked.get(offer.offerId) === code);
  const act = rows.length > 0 ? takeWords(rows) : words.takeNone;
  const decide = async () => {
    const seen = { decisions: shown.decisions, offers: shown.version };
    try {
      await call<Done>(`${addressOf(facts.orderRef)}/decision`, { choices, seen });
    } catch (error) {
      if (!(error instanceof CallFailed) || !error.refused.difference) throw error;
      const overtaken = error.refused.difference;
      const changed = new Set(overtaken.offers?.map(({ offer }) => offer.offerId));
      onPicks((known) => new Map([...known].filter(([offerId]) => !changed.has(offerId))));
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
      title={`${act}: ${nameOf(facts)}`}
      deed={{ what: 'decision', orderRef: facts.orderRef, timeline: facts.timeline }}
      action={act}
      isReady={!difference}
      onAct={decide}
      onClose={onClose}
    >
      {difference ? <Differences {...difference} shown={shown} /> : <LastLook {...{ facts, rows, shown }} />}
    </ActionDialog>
  );
}

/** Everything that each bank says about the credit option, and a warning about what cannot be undone. */
type LastLookProps = Pick<DecideProps, 'facts' | 'shown'> & { rows: OfferRow[] };

function LastLook({ facts, rows, shown: { offers, units } }: LastLookProps) {
  const words = messages.value.offers;
  const nameOf = nameIn(offers);
  const isTaken = (wanted: string) => rows.some(({ offer }) => offer.offerId === wanted);
  const dropped = (facts.choices ?? []).filter(({ offerId, state }) => state === 'chosen' && !isTaken(offerId));
  return (
    <>
      <p>{rows.length > 0 ? words.does(companyOf({ ...facts.labels, orderRef: facts.orderRef })) : words.doesNone}</p>
      <ul>
        {rows.map((row) => (
          <li key={row.offer.offerId}>
            <strong>{titleOf(row.offer)}</strong>, {row.code}
            <FactList
              look="members"
              facts={[...namedFacts(row, units), ...row.members.map(memberText), ['offerId', row.offer.offerId]]}
            />
          </li>
        ))}
        {dropped.map(({ offerId, code }) => (
          <li key={offerId}>{words.dropped(`${code}, ${nameOf(offerId)}`)}</li>
        ))}
      </ul>
      <p>{words.decidedByYou}</p>
      {rows.length > 0 && <p class="notice people">{words.final}</p>}
    </>
  );
}

const nameIn = (offers: OfferFacts[]) => (offerId: string) =>
  titleOf(offers.find((one) => one.offerId === offerId) ?? { offerId, terms: {} });

/** Explains why a decision came too late: the differences from what the page showed. */
function Differences({ over, decided, offers = [], shown }: Difference & { shown: Shown }) {
  const { offers: words, happened } = messages.value;
  const nameOf = nameIn(shown.offers);
  const taken = decided?.choices?.map(({ offerId, code }) => `${code}, ${nameOf(offerId)}`);
  return (
    <ul>
      {over && (
        <li>{over.isDismissed ? happened('An operator dismissed the order') : words.over(statusWords(over.status))}</li>
      )}
      {decided && <li>{words.decidedMeanwhile(decided.decidedBy, taken?.join('; '))}</li>}
      {offers.map(({ offer, what, changed }) => (
        <li key={offer.offerId}>
          <strong>{nameOf(offer.offerId)}</strong>: {words.differs[what]}
          <ul>
            {changed.map((member) => (
              <li key={`${member.code} ${member.path}`}>{changeWords(member, shown)}</li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

function changeWords({ code, path, before, after }: ChangedMember, { names }: Shown): string {
  const { terms } = messages.value.offers;
  const name = [code, path === 'status' ? messages.value.table.status : wordsFor(terms, names[path] ?? path)];
  const value = (one: unknown) => (path === 'status' ? offerStatus(valueText(one)) : valueText(one));
  return `${name.filter(Boolean).join(' ')}: ${value(before)} → ${value(after)}`;
}
