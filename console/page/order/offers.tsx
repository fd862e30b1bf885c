import { useState } from 'preact/hooks';
import type { Done, Members, OfferFacts, OrderFacts, Written } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { wordsFor } from '../messages/said.ts';
import { Button, Check, Facts, Moment, Notice, Section } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { number } from '../parts/format.ts';
import { useAnswer } from '../parts/hooks.ts';
import { addressOf, call } from '../state/call.ts';

type Picked = ReadonlyMap<string, string>;

/** The offers side by side, what was decided, and the decision while the order allows one. */
export function Offers({ facts }: { facts: OrderFacts }) {
  const { status, choices = [] } = facts;
  const hasOffers = /^OFFERS_|^CLOSED$/.test(status) || choices.length > 0;
  const { answer: offers = [], failed } = useAnswer<OfferFacts[]>(facts, hasOffers ? 'offers' : undefined);
  const [picked, setPicked] = useState<Picked>(new Map());
  const [asked, setAsked] = useState<{ picked: Picked; seen: number }>();
  const ask = (wanted: Picked) => setAsked({ picked: wanted, seen: facts.decisions });
  const words = messages.value.offers;
  const canDecide = (status === 'OFFERS_AVAILABLE' || status === 'OFFERS_APPROVED') && !facts.dismissed;
  const pick = (offerId: string, code: string | undefined) => {
    const others = [...picked].filter(([known]) => known !== offerId);
    setPicked(new Map(code === undefined ? others : [...others, [offerId, code]]));
  };
  if (!hasOffers || (offers.length === 0 && failed === undefined)) return null;
  return (
    <Section title={words.title} aside={<Verdict facts={facts} />}>
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

/** Who decided and when, what the decision says, and why a person must decide. */
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
        <span class={`tone ${offer.isTakeable ? 'good' : 'over'}`}>{wordsFor(words.statuses, offer.status)}</span>
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
          {choice.code}: <strong>{messages.value.choice(choice.state)}</strong>
        </p>
      )}
      <p class="faint id">
        <code>{offer.offerId}</code>
      </p>
    </section>
  );
}

/** The specification names few members, so most stand as the bank has them. */
function List({ members }: { members: Members }) {
  const names = messages.value.offers.members;
  return <Facts look="members" facts={members.map((member) => [wordsFor(names, member[0]), memberValue(member)])} />;
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
          </li>
        ))}
        {dropped.map(({ offerId, code }) => (
          <li key={offerId}>{words.dropped(`${code}, ${nameOf(offerId)}`)}</li>
        ))}
      </ul>
    </ActionDialog>
  );
}

/** A value by the language's rules. Only what the bank sent as a number is one. */
function memberValue([, value]: [string, unknown]): string {
  if (value === undefined || value === null || value === '') return '–';
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean') return value ? messages.value.yes : messages.value.no;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
