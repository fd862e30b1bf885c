import { useState } from 'preact/hooks';
import type { OrderFacts, ShownOffers } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, Dated, Notice, Section } from '../parts/controls.tsx';
import { form } from '../parts/format.ts';
import { useAnswer, useAsksBeforeLeaving } from '../parts/hooks.ts';
import { sentOf } from '../parts/sent.tsx';
import { Decide, type DecideProps, type Picked, type Shown } from './decide.tsx';
import { type OfferRow, offerStatus, rowsOf, takeWords, titleOf } from './offer-rows.ts';
import { OfferTable } from './offer-table.tsx';

/** The credit options side by side, the decision so far, and the form to decide while the order allows it. */
export function Offers({ facts, picks, onPicks }: Pick<DecideProps, 'facts' | 'onPicks'> & { picks: Picked }) {
  const { status, choices = [], orderRef } = facts;
  const hasOffers = /^OFFERS_|^CLOSED$/.test(status) || choices.length > 0;
  const { facts: answer, failed } = useAnswer<ShownOffers>(facts, hasOffers ? 'offers' : undefined);
  const [asked, setAsked] = useState<{ picked: Picked; shown: Shown }>();
  const words = messages.value.offers;
  const choiceOf = (offerId: string) => choices.find((choice) => choice.offerId === offerId);
  const canDecide = (status === 'OFFERS_AVAILABLE' || status === 'OFFERS_APPROVED') && !facts.dismissed;
  const { offers = [], units = {} } = answer ?? {};
  const all = rowsOf(offers);
  // A decision names a code, which must mean one option.
  const isOne = (offerId: string, code: string) =>
    code !== '' && all.filter((row) => row.offer.offerId === offerId && row.code === code).length === 1;
  const canTake = ({ offer, code }: OfferRow) =>
    canDecide && offer.isTakeable && isOne(offer.offerId, code) && choiceOf(offer.offerId)?.state !== 'confirmed';
  // An offer that was withdrawn or taken meanwhile is no longer picked.
  const isPicked = (row: OfferRow) => canTake(row) && picks.get(row.offer.offerId) === row.code;
  const rows = all.filter(isPicked);
  const picked: Picked = new Map(rows.map(({ offer, code }) => [offer.offerId, code]));
  const isSent = sentOf('decision', orderRef).some(({ end }) => end !== 'refused');
  useAsksBeforeLeaving(picked.size > 0 && !isSent ? words.leave : undefined);
  const ask = (wanted: Picked) =>
    answer && setAsked({ picked: wanted, shown: { decisions: facts.decisions, ...answer } });
  const pick = ({ offer, code }: OfferRow, is: boolean) => {
    const others = [...picked].filter(([known]) => known !== offer.offerId);
    onPicks(() => new Map(is ? [...others, [offer.offerId, code]] : others));
  };
  if (!hasOffers || (offers.length === 0 && failed === undefined)) return null;
  const isOpen = (row: OfferRow) => canTake(row) || choiceOf(row.offer.offerId)?.code === row.code;
  return (
    <Section title={messages.value.steps.offers} anchor="offers" aside={<Verdict facts={facts} />}>
      <Notice words={failed} />
      <OfferTable
        rows={all.filter(isOpen)}
        units={units}
        choiceOf={choiceOf}
        isPicked={isPicked}
        canTake={canTake}
        onPick={pick}
      />
      <Folded rows={all.filter((row) => !isOpen(row))} offers={offers} canDecide={canDecide} />
      <Age facts={facts} />
      {canDecide && answer && (
        <footer class="decide">
          {rows.length === 0 && <p class="faint">{words.hint}</p>}
          <Button words={words.none} onClick={() => ask(new Map())} />
          {rows.length > 0 && <Button words={`${takeWords(rows)}…`} look="main" onClick={() => ask(picked)} />}
        </footer>
      )}
      {asked && <Decide facts={facts} {...asked} onPicks={onPicks} onClose={() => setAsked(undefined)} />}
    </Section>
  );
}

/** Offers that cannot be taken, in a line each. */
function Folded({ rows, offers, canDecide }: Pick<ShownOffers, 'offers'> & { rows: OfferRow[]; canDecide: boolean }) {
  const lines = [
    ...offers.filter(({ options }) => options.length === 0).map((offer) => ({ offer, code: '' })),
    ...rows,
  ];
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>{form(lines.length, messages.value.offers[canDecide ? 'folded' : 'others'])}</summary>
      <ul class="rows">
        {lines.map(({ offer, code }, at) => (
          <li key={at}>
            {titleOf(offer)} <span class="faint">{[code, offerStatus(offer.status)].filter(Boolean).join(', ')}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Shows how old the offers are and when they are read next, because they are rarely read while people decide. */
function Age({ facts: { offersReadAt, offersReadNextAt } }: { facts: OrderFacts }) {
  const words = messages.value.offers;
  if (offersReadAt === undefined) return null;
  return (
    <p class="faint">
      <Dated words={words.readAt} at={offersReadAt} />
      <Dated words={`, ${words.readNextAt}`} at={offersReadNextAt} />
      {` · ${words.bankDecides}`}
    </p>
  );
}

function Verdict({ facts: { choose, decided, decisionReason, none, choices = [] } }: { facts: OrderFacts }) {
  const words = messages.value.offers;
  const isAnyTaken = choices.some(({ state }) => state === 'confirmed' || state.includes('outcome unknown'));
  return (
    <p class="faint">
      {choose === 'rule' ? words.byRule : words.byHand}
      {decided && <Dated words={` ${words.madeBy[decided.how]}`} at={decided.at} />}
      {decided?.written?.decidedBy !== undefined && (
        <span class="name">
          {`, ${words.decidedBy}: `}
          <bdi title={decided.written.decidedBy}>{decided.written.decidedBy.split('/').at(-1)}</bdi>
        </span>
      )}
      {none && ` ${isAnyTaken ? words.takesNoOther : words.takesNone}`}
      {decisionReason !== undefined && <strong> {words.mustChoose(decisionReason)}</strong>}
    </p>
  );
}
