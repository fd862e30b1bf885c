import type { Choice } from '../../core/package/kept-decision.ts';
import { isObject, type OfferView, offerView, valueText } from './offer-view.ts';
import { plain, Refusal } from './text.ts';

/** What a person saw before deciding: the number of decisions, and the version of `offers.json`. */
export interface Seen {
  decisions: number;
  offers: string;
}

/** A member of an offer, or of its credit option `code`, that had another value. */
export interface ChangedMember {
  code: string;
  path: string;
  before?: unknown;
  after?: unknown;
}

export interface OfferDifference {
  /** The present offer, or the last known one if it is gone. */
  offer: OfferView;
  what: 'new' | 'gone' | 'changed';
  changed: ChangedMember[];
}

export interface Difference {
  /** The order accepts no decision. */
  over?: { status: string; isDismissed: boolean };
  /** Somebody else decided. Without choices, that decision is still to be checked. */
  decided?: { choices?: readonly Choice[]; decidedBy?: string | undefined };
  offers?: OfferDifference[];
}

/** Nothing was decided, because the order is not as the person saw it. */
export class Overtaken extends Refusal {
  readonly difference: Difference;

  constructor(message: string, difference: Difference) {
    super(message);
    this.difference = difference;
  }
}

/** The offers as a person compares them. The service may list anything; elements that are not objects are left out. */
export const offerViews = (offers: readonly unknown[]): OfferView[] => offers.filter(isObject).map(offerView);

/** The visible differences. The order of offers, credit options and members does not matter. */
export function differencesOf(seen: readonly OfferView[], now: readonly OfferView[]): OfferDifference[] {
  const [before, after] = [seen, now].map((offers) => grouped(offers, ({ offerId }) => offerId));
  const offerIds = new Set([...seen, ...now].map(({ offerId }) => offerId));
  return [...offerIds].flatMap((offerId): OfferDifference[] => {
    const [was = [], is = []] = [before?.get(offerId), after?.get(offerId)];
    const offer = is[0] ?? was[0];
    if (!offer) return [];
    if (was.length === 0) return [{ offer, what: 'new', changed: [] }];
    if (is.length === 0) return [{ offer, what: 'gone', changed: [] }];
    const changed = changedMembers(was, is);
    return changed.length > 0 ? [{ offer, what: 'changed', changed }] : [];
  });
}

/** An `offerId` or a code may be listed twice: then all values are compared. */
function changedMembers(was: OfferView[], is: OfferView[]): ChangedMember[] {
  const [then, now] = [was, is].map((offers) => grouped(offers.flatMap(membersIn), keyOf));
  return [...new Set([...(now?.keys() ?? []), ...(then?.keys() ?? [])])].flatMap((key) => {
    const [before = [], after = []] = [then?.get(key), now?.get(key)];
    const longer = after.length < before.length ? before : after;
    return longer.flatMap(({ code, path }, at): ChangedMember[] => {
      const change = { before: before[at]?.value, after: after[at]?.value };
      return valueText(change.before) === valueText(change.after) ? [] : [{ code, path, ...change }];
    });
  });
}

/** `Map.groupBy`, which Node 20 does not have. */
function grouped<Value>(values: readonly Value[], keyFor: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyFor(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

interface Member {
  code: string;
  path: string;
  value?: unknown;
}

const keyOf = ({ code, path }: Member) => JSON.stringify([code, path]);

function membersIn({ status, members, options }: OfferView): Member[] {
  const of = (code: string, listed: OfferView['members']) => listed.map(([path, value]) => ({ code, path, value }));
  return [
    ...of('', [['status', status], ...members]),
    ...options.flatMap((option) => of(option.code, [['code', option.code], ...option.members])),
  ];
}

export function differenceSentences(differences: readonly OfferDifference[]): string {
  const sentences = differences.map(({ offer: { offerId }, what, changed }) => {
    const members = changed.map(
      ({ code, path, before, after }) =>
        `${[code, path].filter(Boolean).join(' ')} was ${valueText(before)} and is ${valueText(after)}`,
    );
    return plain(`Offer ${offerId} is ${[what, members.join(', ')].filter(Boolean).join(': ')}.`);
  });
  return sentences.join(' ');
}
