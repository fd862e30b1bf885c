import { expect, test } from 'vitest';
import { type Advice, adviceFor, FAILURES } from '../../commands/shared/failure-advice.ts';
import { inPlace } from '../../commands/shared/place.ts';
import { commandsIn } from '../helpers/commands-in.ts';
import {
  answer,
  confirming,
  creating,
  inject,
  loseAnswer,
  removeFaults,
  signing,
  uploading,
} from '../helpers/faults.ts';
import { NO_OFFERS, NO_SIGNATURES, OFFERS_AT_ONCE, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import type { PackageOptions } from '../helpers/packages.ts';
import { DAY } from '../helpers/world.ts';

const world = await openWorld();
const { simulator, wrappers } = world;
const { done } = commandsIn(world);

interface Stop {
  stop: (orderRef: string) => Promise<unknown>;
  mend?: (orderRef: string) => Promise<unknown>;
}

/** An order whose first read that the service answers is the last one: what stops it comes before that. */
const SHORT: PackageOptions = { scenario: 'validation-fails-at-once' };

const thrown = (errorType: string, errorMessage = 'a cause'): Stop => ({
  stop: async (orderRef) => {
    wrappers.invokeWrapper = async (name, _event, invoke) =>
      name.endsWith('read-order')
        ? { payload: JSON.stringify({ errorType, errorMessage }), functionError: 'Unhandled' }
        : invoke();
    await submitted(orderRef, SHORT);
  },
});

const refused = (matches: typeof uploading, fault = answer(422)): Stop => ({
  stop: async (orderRef) => {
    Object.assign(simulator.settings, matches === confirming ? OFFERS_AT_ONCE : { ...NO_SIGNATURES, ...NO_OFFERS });
    inject(simulator, 'before', matches, fault, Number.POSITIVE_INFINITY);
    await submitted(orderRef, matches === creating ? SHORT : {});
  },
});

const submitted = async (orderRef: string, options?: PackageOptions) => {
  await world.submit(orderRef, options);
  return world.until(orderRef, ({ waitingFor, failure }) => failure !== undefined || waitingFor === 'nobody');
};

async function lost(orderRef: string): Promise<void> {
  inject(simulator, 'after', creating, loseAnswer);
  await submitted(orderRef, SHORT);
}

async function waits(orderRef: string): Promise<void> {
  Object.assign(simulator.settings, SIGNATURES_AT_ONCE, NO_OFFERS);
  await world.submitToSign(orderRef);
}

/** A way to each failure of the catalogue on which the advice is more than to retry, and to some others. */
const STOPS: Record<string, Stop> = {
  'any (the order waits for service)': refused(creating, answer(429)),
  'any (create is open)': { stop: lost },
  'Rejected, NoUsableAnswer (the orderId of resolve)': {
    stop: async (orderRef) => {
      await lost(orderRef);
      await done('resolve', orderRef, '--order-id', 'no-such-order');
      await done('retry', orderRef);
      await world.until(orderRef, ({ generation, failure }) => generation === 2 && failure !== undefined);
    },
  },
  none: {
    stop: async (orderRef) => {
      await waits(orderRef);
      wrappers.deliveryWrapper = () => undefined;
      await world.abort(orderRef);
    },
  },
  Throttled: {
    // The second answer is beyond the patience of the stage, which counts from the first.
    ...refused(creating, answer(429, {}, { 'retry-after': String((2 * DAY) / 1000) })),
    mend: async () => world.clock.advanceTo(world.clock.now() + 4 * DAY),
  },
  'Rejected (the creation)': refused(creating),
  'Rejected (a document)': {
    ...refused(uploading),
    mend: (orderRef) => world.put(orderRef, 'documents/charter.pdf', 'a better scan'),
  },
  'Rejected (a signature)': {
    stop: async (orderRef) => {
      inject(simulator, 'before', signing, answer(422));
      await waits(orderRef);
      await world.sign();
      await world.aws.settle();
    },
  },
  'Rejected (a confirm)': refused(confirming),
  'InvalidPackage (order.json)': thrown('InvalidPackage', 'the version of order.json is gone'),
  ValidationFailed: { stop: (orderRef) => submitted(orderRef, SHORT) },
  'States.Runtime, States.TaskFailed, any other name': thrown('TypeError'),
};

/** The arguments of the command that the advice prints. What it leaves to fill in is what the service says. */
const argumentsOf = ({ command }: Advice, orderId: string) =>
  (command.match(/"[^"]*"|\S+/g) ?? []).slice(1).map((word) => word.replaceAll('"', '').replace('<orderId>', orderId));

async function follow(orderRef: string, orderId = ''): Promise<string[]> {
  const seen: string[] = [];
  for (let steps = 0; steps < 4; steps += 1) {
    const shown = JSON.parse(await done('--json', 'show', orderRef));
    const { advice, waitingFor }: { advice?: Advice; waitingFor: string } = shown;
    if (!advice || (steps > 0 && waitingFor === 'nobody')) break;
    if (waitingFor === 'operator')
      expect(await done('list', '--waiting-for', 'operator')).toContain(
        inPlace(`${orderRef}: ${advice.happened} ${advice.step}`, ['--endpoint', world.aws.endpoint]),
      );
    seen.push(advice.happened);
    await done(...argumentsOf(advice, orderId));
    await world.aws.settle();
    await world.until(orderRef, ({ waitingFor, failure }) => failure !== undefined || waitingFor === 'nobody');
  }
  return seen;
}

test.each(Object.entries(STOPS))(
  'the advice on "%s" can be followed, and then the order goes on or is over',
  async (key, { stop, mend }) => {
    const [orderRef, before] = [key.replaceAll(/\W+/g, '-').slice(0, 40), simulator.orders().length];
    await stop(orderRef);
    removeFaults(simulator);
    delete wrappers.invokeWrapper;
    delete wrappers.deliveryWrapper;
    await mend?.(orderRef);
    const [first] = await follow(orderRef, simulator.orders()[before]?.orderId);
    expect(first).toBe(FAILURES[key]?.happened[0]);
    expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'nobody' });
  },
);

test('on every other failure the advice is to retry', () => {
  const others = Object.keys(FAILURES).filter((key) => !(key in STOPS));
  for (const key of others) expect(adviceFor(key, 'stopped').command, key).toBe('loan-orders retry stopped');
});
