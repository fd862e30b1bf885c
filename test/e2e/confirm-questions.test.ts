import { afterEach, describe, expect, test } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
import { refusalOf } from '../helpers/commands-in.ts';
import { changeRate, untilOffers } from '../helpers/offers.ts';
import { OFFERS_AT_ONCE, openWorld } from '../helpers/open-world.ts';
import { hasTerminal, keys, onTerminal, type TerminalRun } from '../helpers/terminal.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 }, ordersGoOn: true });
const { down, enter, yes } = keys;

const atTerminal = (orderRef: string) => onTerminal(['--endpoint', world.aws.endpoint, 'confirm', orderRef]);
const confirm = (...args: string[]) => loanOrders(['--endpoint', world.aws.endpoint, 'confirm', ...args]);

async function decided(orderRef: string): Promise<{ offerId: string; code: string }[]> {
  await world.aws.settle();
  const { decision } = (await world.record(orderRef)) ?? {};
  return (decision?.choices ?? []).map(({ offerId, code }) => ({ offerId, code }));
}

describe.runIf(hasTerminal)('on a terminal', () => {
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
    expect(terminal.shown()).toContain(`${first?.offerId}: bankName First Bank, currency RUB; FIRST-12, amount 3,000,000`);
    expect(terminal.shown()).toContain('Decided on order asked: ');
    expect(await decided('asked')).toEqual([third, { ...first, code: offers[0]?.codes[1] }]);
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

  test('Esc at any question and a no at the last one leave nothing decided, and a yes takes no offer if that is chosen', async () => {
    await untilOffers(world, 'declined');
    const left = atTerminal('declined');
    await left.answer('none: take no offer', keys.escape);
    expect(await left.ended, left.shown()).toBe(130);
    expect(await decided('declined')).toEqual([]);
    for (const [pressed, code] of [
      [keys.escape, 130],
      [enter, 1],
    ] as const) {
      const terminal = await askedToDecline(pressed);
      expect(await terminal.ended, terminal.shown()).toBe(code);
      expect(terminal.shown()).toContain('Nothing was decided on order declined.');
      expect(await decided('declined')).toEqual([]);
      expect(await world.record('declined')).toMatchObject({ waitingFor: 'decision' });
    }
    const terminal = await askedToDecline(yes);
    expect(await terminal.ended, terminal.shown()).toBe(0);
    expect(terminal.shown()).toContain('no offer is taken');
    await world.aws.settle();
    expect(await world.record('declined')).toMatchObject({ decision: { none: true } });
  });
});

async function askedToDecline(pressed: string): Promise<TerminalRun> {
  const terminal = atTerminal('declined');
  await terminal.answer('none: take no offer', keys.up, enter);
  await terminal.answer('Write it?', pressed);
  return terminal;
}

test('without a terminal confirm names the offers and codes that can be taken, and after a wrong code those of its offer', async () => {
  const { offers } = await untilOffers(world, 'no-terminal');
  const named = offers.map(({ offerId, codes }) => `${offerId} (code ${codes.join(', ')}`);
  const refused = refusalOf(await confirm('no-terminal'));
  expect(refused).toMatch(/^There is no terminal for the questions: nothing was decided on order no-terminal\. /);
  for (const offer of named) expect(refused).toContain(`${offer})`);
  const unknown = await confirm('no-terminal', '--offer', 'nobody', '--code', 'X');
  expect(unknown.stderr).toContain('A decision can take ');
  expect(unknown.stderr).toContain(named[1]);
  const wrongCode = await confirm('no-terminal', '--offer', offers[0]?.offerId ?? '', '--code', 'X');
  expect(wrongCode.stderr).toContain(` Its codes are ${offers[0]?.codes.join(', ')}.`);
  expect(wrongCode.stderr).not.toContain('A decision can take ');
});
