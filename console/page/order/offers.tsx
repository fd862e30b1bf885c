import { useState } from 'preact/hooks';
import type { OfferFacts, OrderFacts, ShownOffers } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { wordsFor } from '../messages/said.ts';
import { Button, ChoiceField, Moment, Notice, Section } from '../parts/controls.tsx';
import { useAnswer, useAsksBeforeLeaving } from '../parts/hooks.ts';
import { sentOf } from '../parts/sent.tsx';
import { Decide, type Picked, type Shown } from './decide.tsx';
import { OfferCard } from './offer-card.tsx';
import { differingMembers, numericMembers, sortedBy } from './offer-order.ts';

/** The offers side by side, the decision so far, and the form to decide while the order allows it. */
export function Offers({ facts }: { facts: OrderFacts }) {
  const { status, choices = [] } = facts;
  const hasOffers = /^OFFERS_|^CLOSED$/.test(status) || choices.length > 0;
  const { answer, failed } = useAnswer<ShownOffers>(facts, hasOffers ? 'offers' : undefined);
  const offers = answer?.offers ?? [];
  const [picks, setPicks] = useState<Picked>(new Map());
  const [asked, setAsked] = useState<{ picked: Picked; shown: Shown }>();
  const [sort, setSort] = useState('');
  const words = messages.value.offers;
  const choiceOf = (offerId: string) => choices.find((choice) => choice.offerId === offerId);
  const canDecide = (status === 'OFFERS_AVAILABLE' || status === 'OFFERS_APPROVED') && !facts.dismissed;
  const canTake = (offer: OfferFacts) =>
    canDecide && offer.isTakeable && choiceOf(offer.offerId)?.state !== 'confirmed';
  // An offer that was withdrawn or taken meanwhile is no longer picked.
  const picked = stillOpen(picks, offers.filter(canTake));
  const isSent = sentOf('decision', facts.orderRef).some(({ end }) => end !== 'refused');
  useAsksBeforeLeaving(picked.size > 0 && !isSent ? words.leave : undefined);
  const ask = (wanted: Picked) =>
    answer && setAsked({ picked: wanted, shown: { decisions: facts.decisions, ...answer } });
  const pick = (offerId: string, code: string | undefined) => {
    const others = [...picked].filter(([known]) => known !== offerId);
    setPicks(new Map(code === undefined ? others : [...others, [offerId, code]]));
  };
  if (!hasOffers || (offers.length === 0 && failed === undefined)) return null;
  const differing = differingMembers(offers);
  return (
    <Section title={words.title} aside={<Verdict facts={facts} />}>
      <Notice words={failed} />
      <Age facts={facts} />
      <SortBy members={numericMembers(offers)} value={sort} onChange={setSort} />
      <div class="offers">
        {sortedBy(offers, sort).map((offer, position) => (
          <OfferCard
            key={`${offer.offerId} ${position}`}
            offer={offer}
            choice={choiceOf(offer.offerId)}
            picked={picked.get(offer.offerId)}
            canTake={canTake(offer)}
            differing={differing}
            onPick={(code) => pick(offer.offerId, code)}
          />
        ))}
      </div>
      {canDecide && answer && (
        <footer class="decide">
          <p class="faint">{words.hint}</p>
          <Button words={words.none} onClick={() => ask(new Map())} />
          <Button
            words={words.take(picked.size)}
            look="main"
            isDisabled={picked.size === 0}
            onClick={() => ask(picked)}
          />
        </footer>
      )}
      {asked && <Decide facts={facts} {...asked} onPicks={setPicks} onClose={() => setAsked(undefined)} />}
    </Section>
  );
}

function stillOpen(picks: Picked, takeable: OfferFacts[]): Picked {
  const isOpen = ([offerId, code]: [string, string]) =>
    takeable.some((offer) => offer.offerId === offerId && offer.options.some((option) => option.code === code));
  return new Map([...picks].filter(isOpen));
}

/** Shows how old the offers are and when they are read next, because they are rarely read while people decide. */
function Age({ facts: { offersReadAt, offersReadNextAt } }: { facts: OrderFacts }) {
  const words = messages.value.offers;
  if (offersReadAt === undefined) return null;
  return (
    <p class="faint">
      {words.readAt} <Moment at={offersReadAt} both />.
      {offersReadNextAt !== undefined && (
        <>
          {` ${words.readNextAt} `}
          <Moment at={offersReadNextAt} both />.
        </>
      )}{' '}
      {words.bankDecides}
    </p>
  );
}

function SortBy({ members, value, onChange }: { members: string[]; value: string; onChange(member: string): void }) {
  const words = messages.value.offers;
  if (members.length === 0) return null;
  const nameOf = (member: string) => (member === '' ? words.asSent : wordsFor(words.members, member));
  return (
    <p class="sort">
      {words.sort}{' '}
      <ChoiceField label={words.sort} value={value} names={['', ...members]} text={nameOf} onChange={onChange} />
    </p>
  );
}

function Verdict({ facts: { choose, decided, decisionReason, none, choices = [] } }: { facts: OrderFacts }) {
  const words = messages.value.offers;
  return (
    <p class="faint">
      {choose === 'rule' ? words.byRule : words.byHand}
      {decided && ` ${words.madeBy[decided.how]} `}
      {decided && <Moment at={decided.at} both />}
      {decided?.written?.decidedBy !== undefined && (
        <span class="name">
          {` ${words.decidedBy}: `}
          <bdi>{decided.written.decidedBy}</bdi>
        </span>
      )}
      {none &&
        ` ${words.takesNone(choices.some(({ state }) => state === 'confirmed' || state.includes('outcome unknown')))}`}
      {decisionReason !== undefined && <strong> {words.mustChoose(decisionReason)}</strong>}
    </p>
  );
}
