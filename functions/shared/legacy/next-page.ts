export interface Page {
  /** Where the page began, and how many elements were asked for. */
  skip: number;
  take: number;
  /** What was on it, and on the page before it in the same run, by identity. */
  seen: string[];
  before: string[] | undefined;
  /** Elements that a page shares with the one before it. */
  overlap: number;
}

export interface NextPage {
  skip: number;
  isLast: boolean;
  /** Whether the page shares an element with the one before it. */
  joins: boolean;
}

/**
 * Where the next page begins. The list may change between two pages: what comes in repeats elements, what goes out moves others past
 * `skip` unseen. So pages overlap; one that shares nothing with the page before it (more went out than they overlap) is read
 * again from further back. A short page is the last one, once it joins.
 */
export function nextPage({ skip, take, seen, before, overlap }: Page): NextPage {
  const joins = skip === 0 || before === undefined || overlap === 0 || before.some((one) => seen.includes(one));
  if (!joins) return { skip: Math.max(0, skip - take + overlap), isLast: false, joins };
  return { skip: skip + take - overlap, isLast: seen.length < take, joins };
}
