import { useState } from 'preact/hooks';
import type { OrderFacts, ShownOffers } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Check, Dated } from '../parts/controls.tsx';
import { type Column, columnsOf, isBest, type OfferRow, offerStatus, sortedBy, titleOf } from './offer-rows.ts';

export type ChoiceFacts = NonNullable<OrderFacts['choices']>[number];

interface TableProps {
  rows: OfferRow[];
  units: ShownOffers['units'];
  choiceOf(offerId: string): ChoiceFacts | undefined;
  isPicked(row: OfferRow): boolean;
  canTake(row: OfferRow): boolean;
  onPick(row: OfferRow, isPicked: boolean): void;
}

/** A row for each credit option. A click on a heading sorts, another one the other way. */
export function OfferTable({ rows, units, ...rest }: TableProps) {
  const [sort, setSort] = useState({ key: '', isDown: false });
  const words = messages.value.offers;
  const columns = columnsOf(rows, units);
  return (
    <table class="plain stacks offers">
      <thead>
        <tr>
          <th scope="col">
            <span class="head">{words.terms.bank}</span>
          </th>
          {columns.map(({ key, head }) => {
            const isOn = key === sort.key;
            return (
              <th key={key} scope="col" aria-sort={isOn ? (sort.isDown ? 'descending' : 'ascending') : 'none'}>
                <button type="button" class="head" onClick={() => setSort({ key, isDown: isOn && !sort.isDown })}>
                  {head}
                </button>
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {sortedBy(rows, columns, sort).map((row, at) => (
          <Line key={`${row.offer.offerId} ${row.code} ${at}`} row={row} all={rows} columns={columns} {...rest} />
        ))}
      </tbody>
    </table>
  );
}

type LineProps = Omit<TableProps, 'rows' | 'units'> & { row: OfferRow; all: OfferRow[]; columns: Column[] };

function Line({ row, all, columns, choiceOf, isPicked, canTake, onPick }: LineProps) {
  const { offer, code } = row;
  const choice = choiceOf(offer.offerId);
  const own = choice?.code === code ? choice : undefined;
  const picked = isPicked(row);
  const name = (
    <span>
      <strong>{titleOf(offer)}</strong> <span class="faint">{code}</span>
    </span>
  );
  return (
    <tr class={own?.state === 'confirmed' ? 'taken' : picked ? 'picked' : ''}>
      <th scope="row">
        {canTake(row) ? (
          <Check isChecked={picked} onChange={(is) => onPick(row, is)}>
            {name}
          </Check>
        ) : (
          name
        )}
        {own && <Chosen choice={own} />}
        {!own && !offer.isTakeable && <p class="faint">{offerStatus(offer.status)}</p>}
        <Others row={row} columns={columns} />
      </th>
      {columns.map((column) => (
        <td key={column.key} data-name={column.head} class={isBest(column, row, all) ? 'best' : ''}>
          {column.text(row)}
          {isBest(column, row, all) && <span class="hidden"> {messages.value.offers.best}</span>}
        </td>
      ))}
    </tr>
  );
}

function Chosen({ choice: { state, refused } }: { choice: ChoiceFacts }) {
  return (
    <p class="chosen">
      <span class={`tone ${state === 'confirmed' ? 'good' : refused ? 'bad' : 'people'}`}>
        {messages.value.choice(state)}
        {refused && ` (${refused.httpStatus})`}
      </span>
      <Dated words={`, ${messages.value.offers.finalAbout}`} at={refused?.finalAbout} />
    </p>
  );
}

/** What has no column. */
function Others({ row: { members }, columns }: Pick<LineProps, 'row' | 'columns'>) {
  const left = members.filter(([path]) => !columns.some(({ key }) => key === `/${path}`));
  if (left.length === 0) return null;
  return (
    <details>
      <summary>{messages.value.offers.more}</summary>
      <pre>{JSON.stringify(Object.fromEntries(left), undefined, 2)}</pre>
    </details>
  );
}
