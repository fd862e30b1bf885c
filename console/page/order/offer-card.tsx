import type { Members, OfferFacts, OrderFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { wordsFor } from '../messages/said.ts';
import { Check, FactList, Moment } from '../parts/controls.tsx';
import { formatNumber } from '../parts/format.ts';

export type ChoiceFacts = NonNullable<OrderFacts['choices']>[number];

interface CardProps {
  offer: OfferFacts;
  choice: ChoiceFacts | undefined;
  picked: string | undefined;
  canTake: boolean;
  differing: ReadonlySet<string>;
  onPick(code: string | undefined): void;
}

/** An offer with its credit options. A taken offer is marked as taken; the others show the bank's status. */
export function OfferCard({ offer, choice, picked, canTake, differing, onPick }: CardProps) {
  const words = messages.value.offers;
  const isTaken = choice?.state === 'confirmed';
  const title = titleOf(offer);
  const look = isTaken ? 'good' : canTake ? 'calm' : 'over';
  return (
    <section class={`offer ${isTaken ? 'taken' : picked === undefined ? '' : 'picked'}`} aria-label={title}>
      <header>
        <h3>{title}</h3>
        <span class={`tone ${look}`}>{isTaken ? words.taken : wordsFor(words.statuses, offer.status)}</span>
      </header>
      <List members={offer.members.filter((member) => member !== bankOf(offer))} differing={differing} />
      {offer.options.map(({ code, members }) => (
        <div class="option" key={code}>
          {canTake ? (
            <Check isChecked={picked === code} onChange={(isPicked) => onPick(isPicked ? code : undefined)}>
              <strong>{code}</strong>
            </Check>
          ) : (
            <strong>{code}</strong>
          )}
          <List members={members} differing={differing} />
        </div>
      ))}
      {choice && (
        <p class="chosen">
          {choice.code}: <strong>{messages.value.choice(choice.state)}</strong>
          {choice.refused && ` (${choice.refused.httpStatus})`}
          {choice.refused?.finalAbout !== undefined && (
            <>
              {`, ${words.finalAbout} `}
              <Moment at={choice.refused.finalAbout} both />
            </>
          )}
        </p>
      )}
      <p class="faint id">
        <code>{offer.offerId}</code>
      </p>
    </section>
  );
}

/** The specification defines few members, so most have the bank's own names. */
export function List({ members, differing }: { members: Members; differing?: ReadonlySet<string> }) {
  const names = messages.value.offers.members;
  const shownValue = ([path, value]: Members[number]) =>
    differing?.has(path) ? <strong>{memberValue(value)}</strong> : memberValue(value);
  return <FactList look="members" facts={members.map((member) => [wordsFor(names, member[0]), shownValue(member)])} />;
}

const bankOf = (offer: Pick<OfferFacts, 'members'>) =>
  offer.members.find(([path]) => /^bank(Name|\.name)?$/i.test(path));

/** The bank's name, or else the offer's own. */
export function titleOf(offer: Pick<OfferFacts, 'offerId' | 'members'>): string {
  const bank = bankOf(offer);
  return bank ? valueText(bank[1]) : offer.offerId;
}

/** A value, formatted for the language. Only values that the bank sent as numbers are numbers. Nested values can be expanded. */
function memberValue(value: unknown) {
  if (typeof value !== 'object' || value === null) return valueText(value);
  return (
    <details>
      <summary>{messages.value.offers.more}</summary>
      <pre>{JSON.stringify(value, undefined, 2)}</pre>
    </details>
  );
}

export function valueText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'boolean') return value ? messages.value.yes : messages.value.no;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
