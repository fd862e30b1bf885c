import type { DeliveryWrapper } from '@business-loan-orders/embedded-aws';

const MINUTE = 60_000;

/**
 * Lets the schedule of the sweep through only so often. Stage `local` sweeps every minute, which would be most of what happens in the
 * hours of virtual time that a test lets pass. The other stages sweep every five minutes.
 */
export function rareSweeps(minutes = 5): DeliveryWrapper {
  let last = Number.NEGATIVE_INFINITY;
  return (event, deliver) => {
    if (event.source === 'aws.scheduler') {
      const due = Date.parse(String(event.time));
      if (due - last < minutes * MINUTE) return;
      last = due;
    }
    deliver();
  };
}
