import { expect, test } from 'vitest';
import { answer, reading, removeFaults } from '../helpers/faults.ts';
import { openWorld } from '../helpers/open-world.ts';
import { FIRST_TWO_AVAILABLE, orderPackage, type PackageOptions } from '../helpers/packages.ts';
import { cutIn, lookAt, openBrowser } from './browser.ts';

const world = await openWorld({ ordersGoOn: true, isNew: true });
const { open, takeComplaints } = await openBrowser(world);

const WIDTHS = [390, 1024, 1440];
/** Of every view with SMALL_SCREENSHOTS; otherwise each width, theme and language. */
const LOOKS =
  process.env.SMALL_SCREENSHOTS === undefined
    ? ([
        [390, 'dark', 'ru'],
        [390, 'light', 'en'],
        [1024, 'light', 'ru'],
        [1440, 'light', 'en'],
      ] as const)
    : WIDTHS.flatMap((width) =>
        (['light', 'dark'] as const).flatMap((theme) =>
          (['en', 'ru'] as const).map((of) => [width, theme, of] as const),
        ),
      );

const COMPANIES = ['Vector Engineering LLC', 'ООО «Северный Ветер»', 'Kama Foods JSC', 'ИП Орлова А. С.'];
let count = 0;

/** An order that people recognise, with more than one document. */
function submit(orderRef: string, more: PackageOptions = {}) {
  const company = { name: COMPANIES[count % COMPANIES.length], inn: `770708389${count % 10}` };
  const loan = { amount: 3_000_000 + 1_250_000 * count, currency: 'RUB' };
  count += 1;
  const documents = ['charter.pdf', 'balance.pdf'];
  return world.submit(orderRef, { order: { company, loan }, documents, offers: { choose: 'manual' }, ...more });
}

const toSign = ({ waitingFor }: { waitingFor: string }) => waitingFor === 'signatures';

test('every view fits three widths, both themes and languages, and axe finds nothing', async () => {
  await submit('2026-1040', { offers: { choose: 'rule', rule: FIRST_TWO_AVAILABLE } });
  await world.untilEnd('2026-1040');
  await submit('2026-1041', { scenario: 'validation-fails-after-documents' });
  await world.untilEnd('2026-1041');
  world.simulator.hooks.before = async (call, request, reply) => {
    if (reading(call)) await answer(403)(call, request, reply);
  };
  await submit('2026-1042');
  await world.untilEnd('2026-1042');
  removeFaults(world.simulator);
  await submit('2026-1043');
  await world.until('2026-1043', ({ waitingFor }) => waitingFor === 'decision');
  for (const orderRef of ['2026-1044', '2026-1045', '2026-1046']) {
    await submit(orderRef);
    await world.until(orderRef, toSign, { signing: false });
  }
  await world.put('2026-1047', 'order.json', { ...orderPackage(), order: {} });
  /** Each with what is drawn last. */
  const views = {
    orders: ['/', 'tr[data-index] .sum'],
    'to-sign': ['/orders/2026-1044', '.documents li'],
    'to-decide': ['/orders/2026-1043', '.offers tbody tr'],
    stopped: ['/orders/2026-1042', '.notice.bad'],
    refused: ['/orders/2026-1041', '.todo .main'],
    desk: ['/sign', '.desk .documents li'],
    submit: ['/submit', 'main h1'],
    over: ['/orders/2026-1040', '.offers .chosen'],
    none: ['/nope', 'main h1'],
    rejected: ['/rejected', '.rejected tbody tr'],
  } as const;
  const found: Record<string, unknown> = {};
  for (const [width, colorScheme, language] of LOOKS) {
    const phone = width === 390 && { isMobile: true, hasTouch: true };
    const locale = language === 'ru' ? 'ru-RU' : 'en-GB';
    const page = await open('/', { viewport: { width, height: 900 }, colorScheme, locale, ...phone });
    await page.getByText('2026-1046').waitFor();
    for (const [name, [path, last]] of Object.entries(views)) {
      await page.goto(new URL(path, page.url()).href);
      await page.locator(last).first().waitFor();
      await lookAt(page, `${name}-${width}-${colorScheme}-${language}`);
      // Half as wide is how the browser draws it at 200 %.
      for (const drawn of width === 1024 ? [width, width / 2] : [width]) {
        await page.setViewportSize({ width: drawn, height: 900 });
        const cut = await cutIn(page);
        if (cut.length > 0) found[`${name} ${drawn} ${language}`] = cut;
      }
      await page.setViewportSize({ width, height: 900 });
    }
  }
  expect(found).toEqual({});
  expect((await takeComplaints()).filter((text) => !text.includes('404'))).toEqual([]);
});
