import type { Members, OfferFacts } from '../../api.ts';

const membersOf = ({ members, options }: OfferFacts): Members => [
  ...members,
  ...options.flatMap((option) => option.members),
];

export function numericMembers(offers: OfferFacts[]): string[] {
  const numeric = offers.flatMap(membersOf).filter(([, value]) => typeof value === 'number');
  return [...new Set(numeric.map(([path]) => path))];
}

export function differingMembers(offers: OfferFacts[]): ReadonlySet<string> {
  const values = new Map<string, Set<string>>();
  for (const [path, value] of offers.flatMap(membersOf))
    values.set(path, (values.get(path) ?? new Set()).add(JSON.stringify(value)));
  return new Set([...values].filter(([, different]) => different.size > 1).map(([path]) => path));
}

/** The offers sorted by their smallest number at this path, or unsorted if it is empty. Offers without one come last. */
export function sortedBy(offers: OfferFacts[], path: string): OfferFacts[] {
  if (path === '') return offers;
  const least = (offer: OfferFacts) =>
    Math.min(
      ...membersOf(offer).flatMap(([name, value]) => (name === path && typeof value === 'number' ? [value] : [])),
    );
  return offers.toSorted((one, other) => (least(one) === least(other) ? 0 : least(one) - least(other)));
}
