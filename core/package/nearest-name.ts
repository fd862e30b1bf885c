import leven from 'leven';

/** A greater distance means a different name. The limit also bounds the time for names of any length. */
const MOST_TYPOS = 2;

/** The name of `names` that is most likely meant by `wrong`; undefined if none is close. */
export function nearestName(wrong: string, names: readonly string[]): string | undefined {
  const alike = (name: string) => name.normalize('NFC').toLowerCase();
  const meant = alike(wrong);
  const [nearest] = names
    .map((name) => ({ name, distance: leven(alike(name), meant, { maxDistance: MOST_TYPOS + 1 }) }))
    .sort((one, other) => one.distance - other.distance);
  // Short names are always close to each other, so they must be closer.
  return nearest && nearest.distance <= Math.min(MOST_TYPOS, (wrong.length - 1) / 2) ? nearest.name : undefined;
}
