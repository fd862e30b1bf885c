import leven from 'leven';

/** A longer distance is another name, and need not be known: with names of any length, that would take long. */
const MOST_TYPOS = 2;

/** Of the names that there are, the one that is meant by this one, which is not among them. */
export function nearestName(wrong: string, names: readonly string[]): string | undefined {
  const alike = (name: string) => name.normalize('NFC').toLowerCase();
  const meant = alike(wrong);
  const [nearest] = names
    .map((name) => ({ name, distance: leven(alike(name), meant, { maxDistance: MOST_TYPOS + 1 }) }))
    .sort((one, other) => one.distance - other.distance);
  // Two short names are never far from each other.
  return nearest && nearest.distance <= Math.min(MOST_TYPOS, (wrong.length - 1) / 2) ? nearest.name : undefined;
}
