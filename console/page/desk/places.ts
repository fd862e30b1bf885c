import type { DeskOrder } from '../../api.ts';

/** Identifies a document on the desk. */
export const placeOf = (orderRef: string, { fileId }: { fileId: string }) => `${orderRef} ${fileId}`;

/** The documents without a signature, in the order of the page. */
export const unsigned = (orders: readonly DeskOrder[]): string[] =>
  orders.flatMap(({ orderRef, documents }) =>
    documents.filter(({ hasSignature }) => !hasSignature).map((document) => placeOf(orderRef, document)),
  );

/** The next document behind the open one that was not viewed; if all were, the next one. Undefined if there is none. */
export function nextPlace(
  places: readonly string[],
  open: string | undefined,
  viewed: ReadonlySet<string>,
): string | undefined {
  const at = places.indexOf(open ?? '') + 1;
  const others = [...places.slice(at), ...places.slice(0, at)];
  return others.find((place) => !viewed.has(place)) ?? others[0];
}
