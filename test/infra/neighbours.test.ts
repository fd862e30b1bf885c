import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { refuseSharedResources, refuseWrongAddress, warnOfNeighbours } from '../../infra/neighbours.ts';
import { stageSettings } from '../../infra/stages.ts';
import { stagesWith } from '../helpers/stage-files.ts';

const at = (host: string) => ({ baseUrl: `https://${host}.ru`, authorizationUrl: `https://login.${host}.ru` });
const prod = { orderService: at('bank'), account: '111122223333' };

function folderWith(others: Record<string, unknown>): string {
  const files = Object.entries(others).map(([name, settings]) => [`${name}.json`, settings]);
  return stagesWith({ 'prod.json': prod, ...Object.fromEntries(files) });
}

function warningsBeside(others: Record<string, unknown>): unknown[] {
  const folder = folderWith(others);
  refuseWrongAddress(stageSettings('prod', folder), folder);
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }));
  warnOfNeighbours(stack, stageSettings('prod', folder), folder);
  return Annotations.fromStack(stack)
    .findWarning('*', Match.anyValue())
    .map(({ entry }) => entry.data);
}

test('a stage that keeps its data is not at the address of one that does not', () => {
  const folder = folderWith({ test: { orderService: at('bank'), keepData: false } });
  for (const name of ['prod', 'test']) {
    expect(() => refuseWrongAddress(stageSettings(name, folder), folder)).toThrow(
      /^Stages (prod and test|test and prod) both have orderService\.baseUrl https:\/\/bank\.ru, but only one of them keeps/,
    );
  }
});

test('the address that two stages share may be that of the authorization service', () => {
  const folder = folderWith({ test: { orderService: { ...at('bank'), baseUrl: 'https://test.ru' }, keepData: false } });
  expect(() => refuseWrongAddress(stageSettings('prod', folder), folder)).toThrow(
    'Stages prod and test both have orderService.authorizationUrl https://login.bank.ru, but only one of them keeps its data',
  );
});

test.each([
  [{ existing: { table: 'orders-restored' } }, 'existing.table orders-restored'],
  [{ buckets: { staging: 'bank-staging' } }, 'buckets.staging bank-staging'],
])('two stages of an account do not have %j', (given, named) => {
  const folder = folderWith({ test: { orderService: at('test'), ...given } });
  const stage = { ...stageSettings('prod', folder), ...stageSettings('test', folder), name: 'prod' };
  expect(() => refuseSharedResources({ ...stage, account: undefined }, folder)).toThrow(
    `Stages prod and test both have ${named}: give each stage its own.`,
  );
  refuseSharedResources(stageSettings('prod', folder), folder);
});

test('a stage whose name begins with that of another one in the same account may have its logs read', () => {
  const retail = { orderService: at('retail') };
  const sentence = 'Whoever may read the logs of stage prod may read those of prod-retail';
  for (const account of [undefined, prod.account])
    expect(warningsBeside({ 'prod-retail': { ...retail, account } })).toEqual([expect.stringContaining(sentence)]);
  expect(warningsBeside({ 'prod-retail': { ...retail, account: '444455556666' } })).toEqual([]);
});

test('other stages, the laptop and files that cannot be read cause no warning', () => {
  const others = { leasing: { orderService: at('bank') }, test: { orderService: at('test'), keepData: false } };
  expect(warningsBeside({ ...others, local: { ...prod, keepData: false }, broken: '{' })).toEqual([]);
});
