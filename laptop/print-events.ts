import type { Laptop } from './laptop.ts';

/** Prints each event that the bus of the orders takes, from now on, as one line: its type, and its detail as JSON. */
export function printEvents(
  { aws, outputs }: Pick<Laptop, 'aws' | 'outputs'>,
  print: (line: string) => void,
): () => void {
  return aws.watch((change) => {
    if (change.type !== 'event' || change.bus !== outputs.EventBus) return;
    const { 'detail-type': type, detail } = change.event;
    print(`event  ${String(type)}  ${JSON.stringify(detail)}`);
  });
}
