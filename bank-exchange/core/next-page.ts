export interface Page {
  skip: number;
  take: number;
  /** IDs of the elements on the page, and on the run's page before it. */
  seen: string[];
  before: string[] | undefined;
  /** How many elements a page should share with the page before it. */
  overlap: number;
}

/**
 * Returns where the next page begins, and whether the page `joins`: shares an element with the one before it. If elements are removed from
 * the list between two reads, later ones move to positions before `skip` and would be missed. So pages overlap. If a page does not join, the
 * list is read again from further back. A short page is the last one if it joins.
 */
export function nextPage({ skip, take, seen, before, overlap }: Page) {
  const joins = skip === 0 || before === undefined || overlap === 0 || before.some((one) => seen.includes(one));
  if (!joins) return { skip: Math.max(0, skip - take + overlap), isLast: false, joins };
  return { skip: skip + take - overlap, isLast: seen.length < take, joins };
}
