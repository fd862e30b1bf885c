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
import { announceLaptop, laptopEndpoint, laptopSwitches } from '../../../commands/stage/laptops.ts';
import { LAPTOP_ENDPOINT } from '../../../commands/stage/place.ts';
import { listening } from '../../helpers/listening.ts';

let folder: string;
const servers: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'laptops-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
  for (const server of servers.splice(0)) server.close();
});

/** The address of something that listens. */
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

test('--local uses the default port when no laptop has announced itself', async () => {
  expect(await laptopEndpoint(folder)).toBe(LAPTOP_ENDPOINT);
});

test('--local finds the only running laptop on any port, until it ends', async () => {
  const endpoint = await something();
  const end = announceLaptop(endpoint, folder);
  expect(await laptopEndpoint(folder)).toBe(endpoint);
  end();
  expect(readdirSync(folder)).toEqual([]);
  expect(await laptopEndpoint(folder)).toBe(LAPTOP_ENDPOINT);
});

test('several laptops are refused with their addresses', async () => {
  const endpoints = [await something(), await something()].sort();
  for (const endpoint of endpoints) announceLaptop(endpoint, folder);
  await expect(laptopEndpoint(folder)).rejects.toThrow(
    `2 laptops are running, at ${endpoints[0]} and ${endpoints[1]}: nothing was done. Name one of them with --endpoint.`,
  );
});

test('a laptop that was killed is forgotten, and its file is removed', async () => {
  announceLaptop(await something(), folder);
  // No process has this number.
  rewrite({ pid: 2 ** 30 });
  expect(await laptopEndpoint(folder)).toBe(LAPTOP_ENDPOINT);
  expect(readdirSync(folder)).toEqual([]);
});

test('a laptop is forgotten if another program has its process number', async () => {
  const endpoint = await something();
  announceLaptop(endpoint, folder);
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  expect(await laptopEndpoint(folder)).toBe(LAPTOP_ENDPOINT);
});

test('only the user can read and write the file', async () => {
  announceLaptop(await something(), folder);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
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
  announceLaptop(await something(), folder);
  change();
  expect(await laptopEndpoint(folder)).toBe(LAPTOP_ENDPOINT);
  rmSync(`${folder}.target`, { force: true });
});

test('the switches of the running laptop are found, also if it is named', async () => {
  const endpoint = await something();
  announceLaptop(endpoint, folder, { switches: 'http://127.0.0.1:1' });
  expect(await laptopSwitches(undefined, folder)).toBe('http://127.0.0.1:1');
  expect(await laptopSwitches(`${endpoint.replace('127.0.0.1', 'localhost')}/`, folder)).toBe('http://127.0.0.1:1');
  await expect(laptopSwitches(await something(), folder)).rejects.toThrow('No laptop is running at http://127.0.0.1:');
});

test('switches elsewhere are ignored', async () => {
  announceLaptop(await something(), folder, { switches: 'http://127.0.0.1:1' });
  rewrite({ switches: 'http://elsewhere.example:1' });
  await expect(laptopSwitches(undefined, folder)).rejects.toThrow('uses another order service');
});

test('a laptop without a simulator has no switches, and neither has none', async () => {
  await expect(laptopSwitches(undefined, folder)).rejects.toThrow(
    'No laptop is running: nothing was done. Start one with "npm start", or name the switches of a simulator that runs alone with --simulator.',
  );
  const endpoint = await something();
  announceLaptop(endpoint, folder);
  await expect(laptopSwitches(undefined, folder)).rejects.toThrow(
    `The laptop at ${endpoint} uses another order service (--service), not the simulator: nothing was done. Start a laptop without --service.`,
  );
});

test('a laptop starts although it cannot announce itself', () => {
  expect(() => announceLaptop('http://127.0.0.1:1', join(folder, 'missing'))()).not.toThrow();
});
