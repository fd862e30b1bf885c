import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { announceLaptop, laptopPlace, laptopSwitches, runningRehearsal } from '../../../../commands/shared/laptops.ts';
import { LAPTOP_ENDPOINT } from '../../../../commands/shared/place.ts';
import { listening } from '../../../helpers/listening.ts';

let folder: string;
const servers: Server[] = [];
const LOCAL = { name: 'local' };
const laptopEndpoint = async () => (await laptopPlace({}, folder)).endpoint;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'laptops-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
  for (const server of servers.splice(0)) server.close();
});

function something(): Promise<string> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  return listening(server);
}

const file = () => join(folder, readdirSync(folder)[0] ?? '');

/** Changes the file of a laptop as another process would have written it. */
function rewrite(change: object): void {
  writeFileSync(file(), JSON.stringify({ ...JSON.parse(readFileSync(file(), 'utf8')), ...change }));
}

test('--local finds the only running laptop on any port, until it ends', async () => {
  const endpoint = await something();
  const end = announceLaptop(endpoint, LOCAL, {}, folder);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(await laptopEndpoint()).toBe(endpoint);
  end();
  expect(readdirSync(folder)).toEqual([]);
  expect(await laptopEndpoint()).toBe(LAPTOP_ENDPOINT);
});

test('of several laptops, the one with a stage is found by its stage, and a rehearsal is none', async () => {
  const [retail, leasing, rehearsal] = [await something(), await something(), await something()];
  announceLaptop(retail, { name: 'retail', namePrefix: 'acme' }, { switches: 'http://127.0.0.1:1' }, folder);
  announceLaptop(leasing, { name: 'leasing' }, {}, folder);
  announceLaptop(rehearsal, { name: 'rehearsal' }, {}, folder);
  const found = { local: true, endpoint: retail, stage: 'retail', namePrefix: 'acme' };
  expect(await laptopPlace({ stage: 'retail' }, folder)).toEqual(found);
  expect(await laptopPlace({ endpoint: retail }, folder)).toEqual(found);
  expect(await laptopSwitches({ stage: 'retail' }, folder)).toBe('http://127.0.0.1:1');
  const others = [leasing, retail].sort().map((one) => `${one} (${one === retail ? 'retail' : 'leasing'})`);
  await expect(laptopPlace({ stage: 'other' }, folder)).rejects.toThrow(
    `No laptop is running with stage other: nothing was done. Others run at ${others.join(', ')}. Start one with "loan-orders --stage other local".`,
  );
  await expect(laptopPlace({}, folder)).rejects.toThrow(
    `2 laptops are running, at ${others.join(' and ')}: nothing was done. Name one of them with --stage or --endpoint.`,
  );
  expect((await runningRehearsal(folder))?.endpoint).toBe(rehearsal);
});

test('a laptop that was killed is forgotten, and its file is removed', async () => {
  announceLaptop(await something(), LOCAL, {}, folder);
  // No process has this number.
  rewrite({ pid: 2 ** 30 });
  expect(await laptopEndpoint()).toBe(LAPTOP_ENDPOINT);
  expect(readdirSync(folder)).toEqual([]);
});

test('a laptop is forgotten if another program has its process number', async () => {
  const endpoint = await something();
  announceLaptop(endpoint, LOCAL, {}, folder);
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  expect(await laptopEndpoint()).toBe(LAPTOP_ENDPOINT);
});

test.each<[string, () => void]>([
  ['others may write', () => chmodSync(file(), 0o666)],
  [
    'is a link',
    () => {
      const target = `${folder}.target`;
      writeFileSync(target, readFileSync(file()), { mode: 0o600 });
      const path = file();
      rmSync(path);
      symlinkSync(target, path);
    },
  ],
  ['names an address elsewhere', () => rewrite({ endpoint: 'http://elsewhere.example:4566' })],
  ['is no JSON', () => writeFileSync(file(), '{')],
])('a file that %s is ignored', async (_what, change) => {
  announceLaptop(await something(), LOCAL, {}, folder);
  change();
  expect(await laptopEndpoint()).toBe(LAPTOP_ENDPOINT);
  rmSync(`${folder}.target`, { force: true });
});

test('the switches of the running laptop are found, also if it is named', async () => {
  const endpoint = await something();
  announceLaptop(endpoint, LOCAL, { switches: 'http://127.0.0.1:1' }, folder);
  expect(await laptopSwitches({}, folder)).toBe('http://127.0.0.1:1');
  expect(await laptopSwitches({ endpoint: `${endpoint.replace('127.0.0.1', 'localhost')}/` }, folder)).toBe(
    'http://127.0.0.1:1',
  );
  rewrite({ switches: 'http://elsewhere.example:1' });
  await expect(laptopSwitches({}, folder)).rejects.toThrow('uses another order service');
});

test('a laptop without a simulator has no switches, and neither has none', async () => {
  await expect(laptopSwitches({}, folder)).rejects.toThrow(
    'No laptop is running: nothing was done. Start one with "loan-orders local", or name the switches of a simulator that runs alone with --simulator.',
  );
  const endpoint = await something();
  announceLaptop(endpoint, LOCAL, {}, folder);
  await expect(laptopSwitches({}, folder)).rejects.toThrow(
    `The laptop at ${endpoint} uses another order service (--service), not the simulator: nothing was done. Start a laptop without --service.`,
  );
});

test('a laptop starts although it cannot announce itself', () => {
  expect(() => announceLaptop('http://127.0.0.1:1', LOCAL, {}, join(folder, 'missing'))()).not.toThrow();
});
