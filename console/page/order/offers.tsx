import { useState } from 'preact/hooks';
import type { Members, OfferFacts, OffersFacts, OrderFacts, Said, Written } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, Check, Notice } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { number } from '../parts/format.ts';
import { useAnswer } from '../parts/hooks.ts';
import { Moment } from '../parts/moment.tsx';
import { Section } from '../parts/section.tsx';
import { addressOf, call } from '../state/call.ts';

type Picked = ReadonlyMap<string, string>;

/** The offers side by side, what was decided, and the decision while the order allows one. */
export function Offers({ facts, changed }: { facts: OrderFacts; changed: unknown }) {
  const { orderRef, status } = facts;
  const { choices = [] } = facts;
  const hasOffers = /^OFFERS_|^CLOSED$/.test(status) || choices.length > 0;
  const path = hasOffers ? `${addressOf(orderRef)}/offers` : undefined;
  const { answer, failed } = useAnswer<OffersFacts>(path, changed);
  const [picked, setPicked] = useState<Picked>(new Map());
  const [asked, setAsked] = useState<{ picked: Picked; seen: number }>();
  const ask = (wanted: Picked) => setAsked({ picked: wanted, seen: facts.decisions });
  const words = messages.value.offers;
  if (!hasOffers) return null;
  const offers = answer?.offers ?? [];
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
      <Notice words={failed} />
      <div class="offers">
        {offers.map((offer, position) => {
          const choice = choices.find(({ offerId }) => offerId === offer.offerId);
          return (
            <OfferCard
              key={`${offer.offerId} ${position}`}
              offer={offer}
              choice={choice}
              picked={picked.get(offer.offerId)}
              canTake={canDecide && offer.isTakeable && choice?.state !== 'confirmed'}
              onPick={(code) => pick(offer.offerId, code)}
            />
          );
        })}
      </div>
      {canDecide && (
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
            <Check isChecked={picked === code} onChange={(isPicked) => onPick(isPicked ? code : undefined)}>
              <strong>{code}</strong>
            </Check>
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

interface DecideProps {
  facts: OrderFacts;
  offers: OfferFacts[];
  picked: Picked;
  /** How many decisions there were when the person was asked. Meanwhile somebody else may decide. */
  seen: number;
  onClose(): void;
}

function Decide({ facts, offers, picked, seen, onClose }: DecideProps) {
  const words = messages.value.offers;
  const choices = [...picked].map(([offerId, code]) => ({ offerId, code }));
  const dropped = (facts.choices ?? []).filter(({ offerId, state }) => state === 'chosen' && !picked.has(offerId));
  const nameOf = (offerId: string) => {
    const bank = bankOf(offers.find((offer) => offer.offerId === offerId));
    return bank ? `${memberValue(bank)} (${offerId})` : offerId;
  };
  const decide = async () => {
    await call<Said>(`${addressOf(facts.orderRef)}/decision`, { choices, seen });
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

/** The name of a member in words. The specification names few, so most stand as the bank has them. */
function memberName(path: string): string {
  return messages.value.offers.members[path] ?? path;
}

/** A value by the language's rules. Only what the bank sent as a number is one. */
function memberValue([, value]: [string, unknown]): string {
  if (value === undefined || value === null || value === '') return '–';
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean') return value ? messages.value.yes : messages.value.no;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
