import { isDeepStrictEqual } from 'node:util';
import type { Choice } from '../../core/package/kept-decision.ts';
import { Refusal } from '../refusal.ts';
import { plain } from '../text.ts';
import { isObject, type OfferView, offerView, valueText } from './offer-view.ts';

/** What a person looked at before deciding: the offers, and how many decisions there were. */
export interface Seen {
  decisions: number;
  offers: OfferView[];
}

/** A member of an offer, or of its credit option `code`, that had another value. */
export interface ChangedMember {
  code: string;
  path: string;
  before?: unknown;
  after?: unknown;
}

/** An offer that differs from what a person has seen. */
export interface OfferDifference {
  /** As it is, or as it was if it is gone. */
  offer: OfferView;
  what: 'new' | 'gone' | 'changed';
  changed: ChangedMember[];
}

/** What differs from what a person has seen. */
export interface Difference {
  /** The order takes no decision. */
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

/** The offers as a person compares them. The service may list anything; what is no object is left out. */
export const offerViews = (offers: readonly unknown[]): OfferView[] => offers.filter(isObject).map(offerView);

export function differencesOf(seen: readonly OfferView[], now: readonly OfferView[]): OfferDifference[] {
  const offerIds = new Set([...seen, ...now].map(({ offerId }) => offerId));
  return [...offerIds].flatMap((wanted): OfferDifference[] => {
    const [before, after] = [seen, now].map((offers) => offers.filter(({ offerId }) => offerId === wanted));
    const offer = after?.[0] ?? before?.[0];
    if (!before || !after || !offer || isDeepStrictEqual(before, after)) return [];
    if (before.length === 0) return [{ offer, what: 'new', changed: [] }];
    if (after.length === 0) return [{ offer, what: 'gone', changed: [] }];
    return [{ offer, what: 'changed', changed: changedMembers(before, after) }];
  });
}

function changedMembers(before: OfferView[], after: OfferView[]): ChangedMember[] {
  const [then, now] = [before.flatMap(membersIn), after.flatMap(membersIn)];
  const find = (members: Member[], { code, path }: Member) =>
    members.find((member) => member.code === code && member.path === path)?.value;
  const gone = then.filter((member) => find(now, member) === undefined);
  return [...now, ...gone].flatMap(({ value: _value, ...member }) => {
    const change = { before: find(then, member), after: find(now, member) };
    return isDeepStrictEqual(change.before, change.after) ? [] : [{ ...member, ...change }];
  });
}

interface Member {
  code: string;
  path: string;
  value?: unknown;
}

function membersIn({ status, members, options }: OfferView): Member[] {
  const of = (code: string, listed: OfferView['members']) => listed.map(([path, value]) => ({ code, path, value }));
  return [
    ...of('', [['status', status], ...members]),
    ...options.flatMap((option) => of(option.code, [['code', option.code], ...option.members])),
  ];
}

/** What differs, in a sentence for each offer. */
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
