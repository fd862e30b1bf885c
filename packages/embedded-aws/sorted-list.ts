/** Binary search: the position of the first element for which `isBefore` returns false. */
export function positionIn<Element>(sorted: readonly Element[], isBefore: (element: Element) => boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(sorted[middle] as Element)) from = middle + 1;
    else to = middle;
  }
  return from;
}
