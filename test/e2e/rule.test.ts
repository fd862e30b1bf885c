import { expect, test } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
import { openFolder } from '../helpers/signer-files.ts';

const folder = openFolder();

test('rule --test refuses files of the wrong kind', async () => {
  const [rule, offers] = [folder.write('r.jsonata', '[]'), folder.write('o.json', '[]')];
  const bad = folder.write('bad.json', '{');
  const cases: [string[], string][] = [
    [['--test', folder.path('nowhere'), offers], 'does not exist: nothing was done'],
    [['--test', rule, bad], 'is not JSON.'],
    [['--test', rule, folder.write('object.json', '{}')], 'is not a list of offers'],
    [['--test', rule, offers, '--order', offers], 'has no property "order"'],
  ];
  for (const [args, sentence] of cases) {
    const { code, stdout, stderr } = await loanOrders(['rule', ...args]);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(sentence) });
  }
  const { code, stdout } = await loanOrders(['rule', '--test', rule, offers]);
  expect({ code, stdout }).toEqual({
    code: 3,
    stdout: 'A human must choose. The rule chose no offer.\n\nThe rule returned:\n  []\n',
  });
});

const OFFERS = JSON.stringify([
  { offerId: 'one', status: 'AVAILABLE', creditOptions: [{ code: 'A-12' }] },
  { offerId: 'two', status: 'REFUSED', creditOptions: [{ code: 'B-12' }] },
]);

test.each([
  ['[function($x) { $x }, {"offerId":"one","code":$sum}]', 'The rule did not return a list of { offerId, code }.'],
  ['{"offerId":"one","code":"B-12"}', 'The offer does not have this credit option.'],
  ['[{"offerId":"one","code":"A-12"},{"offerId":"two","code":"B-12"}]', 'This offer is not AVAILABLE.'],
])('rule --test shows what %s returned, and why a person must choose', async (rule, why) => {
  const [file, offers] = [folder.write('wrong.jsonata', rule), folder.write('listed.json', OFFERS)];
  const { code, stdout } = await loanOrders(['rule', '--test', file, offers]);
  expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringMatching(/^A human must choose\. The rule/) });
  expect(stdout).toContain(why);
  expect(stdout).toMatch(/\n\nThe rule returned:\n {2}.*"one"/s);
});

test('rule --test says where JSONata ended a rule, and shows what a rule returned that chooses', async () => {
  const offers = folder.write('listed.json', OFFERS);
  const broken = await loanOrders(['rule', '--test', folder.write('broken.jsonata', 'offers['), offers]);
  expect(broken.stdout).toMatch(
    /^A human must choose\. The rule failed \(JSONata \w+\)\.\nJSONata says: .+ \(at character 7 of the rule\)\n$/,
  );
  const rule = folder.write('good.jsonata', '{"offerId":"one","code":"A-12","why":"cheap"}');
  const good = await loanOrders(['rule', '--test', rule, offers]);
  expect(good).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^OFFER +CODE\none +A-12\n\nThe rule returned:\n/),
  });
  expect(good.stdout).toContain('"why": "cheap"');
});
