import { expect, test } from 'vitest';
import type { Written } from '../../../core/package/decision-schema.ts';
import type { Decided } from '../../../core/package/kept-decision.ts';
import { restore } from '../../../core/reading/kept-read.ts';
import { type StagedChoice, untilOffers } from '../../helpers/offers.ts';
import { OFFERS_AT_ONCE, openWorld, runSweep } from '../../helpers/open-world.ts';
import { FIRST_TWO_AVAILABLE } from '../../helpers/packages.ts';
import { everythingOf } from '../../helpers/stored-bytes.ts';
import { listenToEvents } from '../../helpers/told-events.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE });
const told = listenToEvents(world);
/** The words of a name, each of which nothing but the order's record and its pages may hold. */
const NAME = ['Анна', 'Смирнова', '(می\u200cپذیرم)', 'a.smirnova@bank.example'];
/** Every text that a decision may hold beside its choices. */
const WRITTEN: Required<Written> = { decidedBy: NAME.join(' ') };
/** The words of the name that a text holds. */
const namedIn = (text: string) => NAME.filter((word) => text.includes(word));
const FILE = expect.any(String);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

/** How the latest decision was made, as staging and the record say. */
async function decided(orderRef: string) {
  const page = await world.stagedJson<{ decided?: Decided; choices: StagedChoice[] }>(orderRef, 'choices.json');
  const { decision } = (await world.record(orderRef)) ?? {};
  return { page: page.decided, record: decision?.decided };
}

test('a decision that says who made it is kept and shown with the name and its time; the name is nowhere else, and leaves with the record', async () => {
  const { choices } = await untilOffers(world, 'named');
  await world.put('named', 'decision.json', { choices: choices.slice(0, 1), ...WRITTEN });
  await world.untilEnd('named');
  const { page, record } = await decided('named');
  expect(page).toEqual({ how: 'person', at: TIME, file: FILE, written: WRITTEN });
  expect(record).toEqual(page);

  const histories = await world.histories('named');
  const lines = (await world.items('named')).filter(({ item }) => item !== 'order');
  const reads = lines.flatMap(({ read }) => (typeof read === 'string' ? [restore(read)] : []));
  const others = JSON.stringify([histories, world.aws.logs(), told, lines, reads]);
  expect(reads.length).toBeGreaterThan(0);
  expect(others).toContain('OFFERS_AVAILABLE');
  expect(others).toContain('A decision arrived');
  expect(namedIn(others)).toEqual([]);

  expect(namedIn(await everythingOf(world, 'named'))).toEqual(NAME);
  world.clock.advanceTo(world.clock.now() + 400 * DAY);
  await runSweep(world);
  expect(await world.record('named')).toMatchObject({ removal: { record: { endedAt: TIME } } });
  expect(namedIn(await everythingOf(world, 'named'))).toEqual([]);
});

test("the rule's decision is shown as that of the rule, with its time", async () => {
  await world.submitToEnd('by-rule', { offers: { choose: 'rule', rule: FIRST_TWO_AVAILABLE } });
  const { page, record } = await decided('by-rule');
  expect(page).toEqual({ how: 'rule', at: TIME });
  expect(record).toEqual(page);
});
