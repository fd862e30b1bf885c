import { columns } from '../../commands/text.ts';
import type { SimulationResult } from './simulate.ts';
import type { Profile } from './world/profiles.ts';
import type { Tally } from './world/tally.ts';

/** Tables of what was done to the orders and how they ended, and every violation. */
export function report(
  { injected, operated, outcomes, calls, violations }: SimulationResult,
  seed: string,
  profile: Profile,
): string[] {
  const service = profile === 'default' ? '' : ` --profile ${profile}`;
  const orderRefs = [...new Set(violations.map(({ orderRef }) => orderRef))];
  return [
    ...table('Faults', injected),
    ...table('What operators did', operated),
    ...table('Outcomes', outcomes),
    ...table('Requests', calls),
    '',
    `${violations.length} violations`,
    ...violations.map(({ orderRef, what }) => `  ${orderRef}: ${what}`),
    ...orderRefs.map((orderRef) => `Run it alone: npm run simulate -- --seed ${seed}${service} --only ${orderRef}`),
  ];
}

export function table(heading: string, tally: Tally): string[] {
  const rows = Object.entries(tally.toJSON()).map(([name, count]) => [`  ${name}`, String(count).padStart(7)]);
  return ['', ...columns([[heading, String(tally.total()).padStart(7)], ...rows])];
}
