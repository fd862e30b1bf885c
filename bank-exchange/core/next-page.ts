export interface Page {
  skip: number;
  take: number;
  /** IDs of the elements on this page, and on the run's previous page. */
  seen: string[];
  before: string[] | undefined;
  /** How many elements a page should share with the previous page. */
  overlap: number;
}

/**
 * Returns where the next page begins, and whether the page `joins` the previous one, that is, shares an element with it. If elements are
 * removed from the list between two reads, later ones move before `skip` and would be missed. So pages overlap. If a page does not join, the
 * list is read again from an earlier position. A page that joins and is not full is the last one.
 */
export function nextPage({ skip, take, seen, before, overlap }: Page) {
  const joins = skip === 0 || before === undefined || overlap === 0 || before.some((one) => seen.includes(one));
  if (!joins) return { skip: Math.max(0, skip - take + overlap), isLast: false, joins };
  return { skip: skip + take - overlap, isLast: seen.length < take, joins };
}
