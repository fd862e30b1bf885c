import { useState } from 'preact/hooks';
import type { Members, OfferFacts, OffersFacts, OrderFacts, Said, Written } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { ActionDialog } from '../parts/dialog.tsx';
import { Moment } from '../parts/moment.tsx';
import { Section } from '../parts/section.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { call } from '../state/call.ts';
import { memberName, memberValue } from './members.ts';

type Picked = ReadonlyMap<string, string>;

/** The offers side by side, what was decided, and the decision while the order allows one. */
export function Offers({ facts, changed }: { facts: OrderFacts; changed: unknown }) {
  const { orderRef, status } = facts;
  const hasOffers = /^OFFERS_|^CLOSED$/.test(status) || (facts.choices ?? []).length > 0;
  const path = hasOffers ? `/api/orders/${encodeURIComponent(orderRef)}/offers` : undefined;
  const { answer, failed } = useAnswer<OffersFacts>(path, changed);
  const [picked, setPicked] = useState<Picked>(new Map());
  const [asked, setAsked] = useState<{ picked: Picked; seen: number }>();
  const ask = (wanted: Picked) => setAsked({ picked: wanted, seen: facts.decisions });
  const words = messages.value.offers;
  if (!hasOffers) return null;
  const offers = answer?.offers ?? [];
  const confirmed = new Set(
    (facts.choices ?? []).filter(({ state }) => state === 'confirmed').map(({ offerId }) => offerId),
  );
  const canDecide = (status === 'OFFERS_AVAILABLE' || status === 'OFFERS_APPROVED') && !facts.dismissed;
  const pick = (offerId: string, code: string | undefined) => {
    const next = new Map(picked);
    if (code === undefined) next.delete(offerId);
    else next.set(offerId, code);
    setPicked(next);
  };
  if (answer && offers.length === 0) return null;
  return (
    <Section title={words.title} wide aside={<Verdict facts={facts} />}>
      {failed !== undefined && <p class="notice bad">{failed}</p>}
      <div class="offers">
        {offers.map((offer, position) => (
          <OfferCard
            key={`${offer.offerId} ${position}`}
            offer={offer}
            choice={(facts.choices ?? []).find(({ offerId }) => offerId === offer.offerId)}
            picked={picked.get(offer.offerId)}
            canTake={canDecide && offer.isTakeable && !confirmed.has(offer.offerId)}
            onPick={(code) => pick(offer.offerId, code)}
          />
        ))}
      </div>
      {canDecide && (
        <footer class="decide">
          <p class="faint">{words.hint}</p>
          <button type="button" onClick={() => ask(new Map())}>
            {words.none}
          </button>
          <button type="button" class="main" disabled={picked.size === 0} onClick={() => ask(picked)}>
            {words.take(picked.size)}
          </button>
        </footer>
      )}
      {asked && <Decide facts={facts} offers={offers} {...asked} onClose={() => setAsked(undefined)} />}
    </Section>
  );
}

/** Who decided when, what the decision says, and why a person must. */
function Verdict({ facts: { choose, decided, decisionReason, none } }: { facts: OrderFacts }) {
  const words = messages.value.offers;
  return (
    <p class="faint">
      {choose === 'rule' ? words.byRule : words.byHand}
      {decided && ` ${words.madeBy[decided.how]} `}
      {decided && <Moment at={decided.at} both />}
      {(Object.keys(words.written) as (keyof Written)[]).map(
        (member) =>
          decided?.written?.[member] !== undefined && (
            <span class="name" key={member}>
              {` ${words.written[member]}: `}
              <bdi>{decided.written[member]}</bdi>
            </span>
          ),
      )}
      {none && ` ${words.noFurther}`}
      {decisionReason !== undefined && <strong> {words.mustChoose(decisionReason)}</strong>}
    </p>
  );
}

interface CardProps {
  offer: OfferFacts;
  choice: { code: string; state: string } | undefined;
  picked: string | undefined;
  canTake: boolean;
  onPick(code: string | undefined): void;
}

const bankOf = (offer: OfferFacts | undefined) => offer?.members.find(([path]) => /^bank(Name|\.name)?$/i.test(path));

function OfferCard({ offer, choice, picked, canTake, onPick }: CardProps) {
  const words = messages.value.offers;
  const bank = bankOf(offer);
  const title = bank ? memberValue(bank) : offer.offerId;
  return (
    <section class={`offer ${picked !== undefined ? 'picked' : ''}`} aria-label={title}>
      <header>
        <h3>{title}</h3>
        <span class={`tone ${offer.isTakeable ? 'good' : 'over'}`}>{words.statuses[offer.status] ?? offer.status}</span>
      </header>
      <List members={offer.members.filter((member) => member !== bank)} />
      {offer.options.map(({ code, members }) => (
        <div class="option" key={code}>
          {canTake ? (
            <label class="check">
              <input
                type="checkbox"
                checked={picked === code}
                onChange={() => onPick(picked === code ? undefined : code)}
              />
              <strong>{code}</strong>
            </label>
          ) : (
            <strong>{code}</strong>
          )}
          <List members={members} />
        </div>
      ))}
      {choice && (
        <p class="chosen">
          {choice.code}: <strong>{words.states[choice.state] ?? choice.state}</strong>
        </p>
      )}
      <p class="faint id">
        <code>{offer.offerId}</code>
      </p>
    </section>
  );
}

function List({ members }: { members: Members }) {
  return (
    <dl class="members">
      {members.map((member) => (
        <div key={member[0]}>
          <dt>{memberName(member[0])}</dt>
          <dd>{memberValue(member)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Decide({
  facts,
  offers,
  picked,
  seen,
  onClose,
}: {
  facts: OrderFacts;
  offers: OfferFacts[];
  picked: Picked;
  /** How many decisions there were when the person was asked. Meanwhile somebody else may decide. */
  seen: number;
  onClose(): void;
}) {
  const words = messages.value.offers;
  const choices = [...picked].map(([offerId, code]) => ({ offerId, code }));
  const dropped = (facts.choices ?? []).filter(({ offerId, state }) => state === 'chosen' && !picked.has(offerId));
  const nameOf = (offerId: string) => {
    const bank = bankOf(offers.find((offer) => offer.offerId === offerId));
    return bank ? `${memberValue(bank)} (${offerId})` : offerId;
  };
  const decide = async () => {
    await call<Said>(`/api/orders/${encodeURIComponent(facts.orderRef)}/decision`, { choices, seen });
    return words.decided;
  };
  return (
    <ActionDialog title={words.decideTitle(facts.orderRef)} action={words.decide} onAct={decide} onClose={onClose}>
      <p>{choices.length > 0 ? words.does : words.doesNone}</p>
      <ul>
        {choices.map(({ offerId, code }) => (
          <li key={offerId}>
            <strong>{code}</strong>, {nameOf(offerId)}
          </li>
        ))}
        {dropped.map(({ offerId, code }) => (
          <li key={offerId}>{words.dropped(`${code}, ${nameOf(offerId)}`)}</li>
        ))}
      </ul>
    </ActionDialog>
  );
}
