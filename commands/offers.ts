import { fittingKey } from '../core/aws/object-key.ts';
import type { Offer } from '../core/order-service/order-service-client.ts';
import type { Decided } from '../core/package/kept-decision.ts';
import { type AddCommand, ofOrder, withPlace } from './shared/arguments.ts';
import type { Buckets } from './shared/buckets.ts';
import { decidedSentence } from './shared/decided.ts';
import { type Members, offerView, valueText } from './shared/offer-view.ts';
import type { PlaceOptions } from './shared/place.ts';
import { type CommandResult, Refusal } from './shared/text.ts';

export const addOffers: AddCommand = (program, perform) =>
  ofOrder(
    program,
    'offers',
    "compare an order's offers: the ids and codes that confirm takes, and all that the banks say",
  )
    .option('--wide', 'show every column, however wide the terminal is')
    .action(withPlace(perform, offers));

/** Shows the staged offers with the `offerId` and the codes for a decision, all other members, and who decided. */
async function offers(place: PlaceOptions, orderRef: string, { wide }: { wide?: true }): Promise<CommandResult> {
  const { openBuckets } = await import('./shared/buckets.ts');
  const buckets = await openBuckets(place);
  const { value: staged } = await publishedOffers(buckets, orderRef);
  const { decided } = (await buckets.staged<{ decided?: Decided }>(orderRef, 'choices.json')) ?? {};
  const table = offerTable(staged, wide ? undefined : process.stdout.columns);
  return { lines: [...table, ...(decided ? ['', decidedSentence(decided)] : [])], json: staged };
}

/** @throws Refusal when the order has no offers yet. */
export async function publishedOffers(buckets: Buckets, orderRef: string) {
  const staged = await findOffers(buckets, orderRef);
  if (staged) return staged;
  throw new Refusal(
    `Order ${orderRef} has no offers in staging: either the order does not exist, or no bank has answered yet.`,
  );
}

/** The staged offers in the current or an older version; undefined if they are gone. */
export const findOffers = (buckets: Buckets, orderRef: string, version?: string) =>
  buckets.stagedVersion<Offer[]>(fittingKey(`orders/${orderRef}/offers.json`), version);

/** A line of the table: an offer with one of its credit options, as texts by column. */
type Row = Map<string, string>;

const OFFER = 'OFFER';
const STATUS = 'STATUS';
const CODE = 'CODE';
const FIRST = [OFFER, STATUS, CODE];

const GAP = 2;

/** A line for each credit option. Columns that do not fit into `width` characters are listed below. */
export function offerTable(offers: unknown[], width = Number.POSITIVE_INFINITY): string[] {
  const rows = offers.flatMap(rowsOf);
  const names = [...new Set([...FIRST, ...rows.flatMap((row) => [...row.keys()])])];
  const cells = names.map((name) => columnOf(name, rows));
  const { shown, left } = fitting(cells, names, width);
  const lines = [0, ...rows.map((_row, index) => index + 1)].map((line) =>
    shown
      .map((column) => column[line])
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
  const more =
    left.length > 0 ? ['', `Not shown, because the terminal is narrow: ${left.join(', ')}. --wide shows all.`] : [];
  return [...lines, ...more];
}

/** One row for each credit option. An offer without any has one row. */
function rowsOf(offer: unknown): Row[] {
  const { offerId, status, members, options } = offerView(offer);
  return (options.length > 0 ? options : [{ code: '', members: [] }]).map(({ code, members: terms }) => {
    const cells: Members = [[OFFER, offerId], [STATUS, status], [CODE, code], ...members, ...terms];
    return new Map(cells.map(([name, value]) => [name, valueText(value)]));
  });
}

/** The heading and the cells of a column, padded to one width. Numbers are aligned on the right. */
function columnOf(name: string, rows: Row[]): string[] {
  const cells = rows.map((row) => row.get(name) ?? '-');
  const width = Math.max(name.length, ...cells.map(({ length }) => length));
  const isNumeric =
    cells.every((cell) => cell === '-' || /^-?[\d.,]+$/.test(cell)) && cells.some((cell) => cell !== '-');
  return [name, ...cells].map((cell) => (isNumeric ? cell.padStart(width) : cell.padEnd(width)));
}

/** The columns that fit into a line, always with the first three, and the names of the others. */
function fitting(columns: string[][], names: string[], width: number): { shown: string[][]; left: string[] } {
  const shown: string[][] = [];
  const left: string[] = [];
  let used = -GAP;
  for (const [index, column] of columns.entries()) {
    const name = names[index] as string;
    const wanted = used + GAP + (column[0]?.length ?? 0);
    if (wanted > width && !FIRST.includes(name)) {
      left.push(name);
    } else {
      shown.push(column);
      used = wanted;
    }
  }
  return { shown, left };
}
