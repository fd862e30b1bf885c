import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
import { changeRate, untilOffers } from '../helpers/offers.ts';
import { OFFERS_AT_ONCE, openWorld } from '../helpers/open-world.ts';
import { hasTerminal, keys, onTerminal } from '../helpers/terminal.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 }, ordersGoOn: true });
const { down, enter, interrupt, yes } = keys;
/** The order that is left undecided, again and again. */
const LEFT = 'left';

const atTerminal = (orderRef: string) => onTerminal(['--endpoint', world.aws.endpoint, 'confirm', orderRef]);
const confirm = (...args: string[]) => loanOrders(['--endpoint', world.aws.endpoint, 'confirm', ...args]);

async function decided(orderRef: string): Promise<{ offerId: string; code: string }[]> {
  await world.aws.settle();
  const { decision } = (await world.record(orderRef)) ?? {};
  return (decision?.choices ?? []).map(({ offerId, code }) => ({ offerId, code }));
}

describe.runIf(hasTerminal)('on a terminal', () => {
  beforeAll(() => untilOffers(world, LEFT));
  afterEach(() => world.aws.settle());

  test('confirm asks for offers and codes with arrows, says what it writes, and writes it after a yes', async () => {
    const { offers, choices } = await untilOffers(world, 'asked');
    const [first, third] = choices;
    const terminal = atTerminal('asked');
    await terminal.answer('Which offer is taken?');
    await terminal.answer('none: take no offer', down, enter);
    await terminal.answer(`Which credit option of offer ${third?.offerId}?`);
    await terminal.answer('THIRD-60, amount 7,000,000', enter);
    await terminal.answer('Which offer is taken besides?');
    await terminal.answer('no further offer', down, enter);
    await terminal.answer(`Which credit option of offer ${first?.offerId}?`);
    await terminal.answer('FIRST-24, amount 5,000,000', down, enter);
    await terminal.answer('Which offer is taken besides?');
    await terminal.answer('no further offer', enter);
    await terminal.answer(`take offer ${third?.offerId} with code THIRD-36`);
    await terminal.answer('amount 4,500,000, termMonths 36');
    await terminal.answer('cannot be undone');
    await terminal.answer('Write it?', yes);
    expect(await terminal.ended, terminal.shown()).toBe(0);
    expect(terminal.shown()).toMatch(/ {4}Decided by: arn:aws:iam::\d+:user\/local/);
    expect(terminal.shown()).toContain(`${first?.offerId}: bankName First Bank; FIRST-12, amount 3,000,000`);
    expect(terminal.shown()).toContain('Decided on order asked: ');
    expect(await decided('asked')).toEqual([third, { ...first, code: offers[0]?.codes[1] }]);
  });

  test('confirm takes no offer if that is chosen', async () => {
    await untilOffers(world, 'declined');
    const terminal = atTerminal('declined');
    await terminal.answer('none: take no offer', keys.up, enter);
    await terminal.answer('Write it?', yes);
    expect(await terminal.ended, terminal.shown()).toBe(0);
    expect(terminal.shown()).toContain('no offer is taken');
    expect(await decided('declined')).toEqual([]);
    expect(await world.record('declined')).toMatchObject({ decision: { none: true } });
  });

  test('confirm looks once more before it writes: what changed during the questions is said, and nothing is decided', async () => {
    const { order, choices } = await untilOffers(world, 'changed');
    const terminal = atTerminal('changed');
    await terminal.answer('Which offer is taken?');
    await terminal.answer('none: take no offer', enter);
    await terminal.answer('Which credit option', enter);
    await terminal.answer('Which offer is taken besides?', enter);
    await terminal.answer('Write it?');
    await changeRate(world, 'changed', order, 21.5);
    await terminal.answer('', yes);
    expect(await terminal.ended, terminal.shown()).toBe(1);
    expect(terminal.shown()).toContain('The offers of order changed are not those that you saw: nothing was decided.');
    expect(terminal.shown()).toMatch(/Offer [^ ]+ is changed: FIRST-12 rate was 19\.5 and is 21\.5\./);
    expect(choices.length).toBeGreaterThan(1);
    expect(await world.record('changed')).toMatchObject({ waitingFor: 'decision', decision: { version: 0 } });
  });

  test.each([
    ['Esc at the offers', 'none: take no offer', [keys.escape], 130],
    ['Ctrl-C at the last question', 'Write it?', [interrupt], 130],
    ['a no at the last question', 'Write it?', [enter], 1],
  ])('%s leaves nothing decided, and says so', async (_when, text, pressed, code) => {
    const terminal = atTerminal(LEFT);
    if (text === 'Write it?') await terminal.answer('none: take no offer', keys.up, enter);
    await terminal.answer(text, ...pressed);
    expect(await terminal.ended, terminal.shown()).toBe(code);
    expect(terminal.shown()).toContain(`Nothing was decided on order ${LEFT}.`);
    expect(await decided(LEFT)).toEqual([]);
    expect(await world.record(LEFT)).toMatchObject({ waitingFor: 'decision' });
  });
});

test('without a terminal confirm names the offers and codes that can be taken, in one sentence each', async () => {
  const { offers } = await untilOffers(world, 'no-terminal');
  const { code, stdout, stderr } = await confirm('no-terminal');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^There is no terminal for the questions: nothing was decided on order no-terminal\. [^\n]+\.\n$/,
  );
  for (const { offerId, codes } of offers) expect(stderr).toContain(`${offerId} (code ${codes.join(', ')})`);
});

test('a wrong offer is answered with the valid offers, and a wrong code with the codes of its offer', async () => {
  const [first, second] = (await untilOffers(world, 'mistyped')).offers;
  const unknown = await confirm('mistyped', '--offer', 'nobody', '--code', 'X');
  expect(unknown.stderr).toContain('A decision can take ');
  expect(unknown.stderr).toContain(`${second?.offerId} (code ${second?.codes[0]}`);
  const wrongCode = await confirm('mistyped', '--offer', first?.offerId ?? '', '--code', 'X');
  expect(wrongCode.stderr).toContain(` Its codes are ${first?.codes.join(', ')}.`);
  expect(wrongCode.stderr).not.toContain('A decision can take ');
});
