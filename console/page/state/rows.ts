import type { OrderColumns, OrderRow } from '../../api.ts';

/** A member without a value came as null. */
export function rowsOf({ members, rows }: OrderColumns): OrderRow[] {
  return rows.map(
    (values) => Object.fromEntries(members.map((member, index) => [member, values[index] ?? undefined])) as OrderRow,
  );
}
