import { loanIn, RecentLoans } from '../shared/alike-orders.ts';
import { connect } from '../shared/connection.ts';
import type { LocalPackage } from '../shared/local-package.ts';
import type { PlaceOptions } from '../shared/place.ts';
import { orDenied } from '../shared/service-words.ts';

/** Warns on standard error of orders that may be the same loan, unless the stage names no company and sum, or the list may not be read. */
export async function warnOfAlike(place: PlaceOptions): Promise<(local: LocalPackage) => Promise<void>> {
  const { record, settings } = await connect(place);
  const { labels = {} } = settings();
  if (!labels.company || !labels.amount) return () => Promise.resolve();
  const loans = new RecentLoans();
  let read: Promise<unknown> | undefined;
  return async ({ orderRef, orderJson }) => {
    read ??= orDenied(() => loans.read(record));
    await read;
    const loan = loanIn(orderJson, labels);
    const alike = loans.alike(loan).filter((one) => one !== orderRef);
    // Of several packages, the next may be the same loan.
    loans.add({ orderRef, labels: loan, createdAt: new Date().toISOString() });
    if (alike.length === 0) return;
    const others = `There are orders of the same company and sum in the last two weeks: ${alike.join(', ')}.`;
    process.stderr.write(`${orderRef}: ${others} If this is the same loan, there will be two.\n`);
  };
}
