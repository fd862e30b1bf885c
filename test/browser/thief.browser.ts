import { expect, test } from 'vitest';
import { answering } from '../helpers/listening.ts';
import { openWorld } from '../helpers/open-world.ts';
import { filesToSign } from '../helpers/signatures.ts';
import { openBrowser } from './browser.ts';

const world = await openWorld({ ordersGoOn: true });
const { open, url, takeComplaints } = await openBrowser(world);
await world.submit('wanted');
await filesToSign(world, 'wanted');
const openWanted = async () => {
  const page = await open('/orders/wanted');
  await page.getByRole('heading', { name: 'wanted' }).waitFor();
  return page;
};

/** A program of another user at another port, and the cookies of each visit that it got. */
const got: string[] = [];
const thiefUrl = await answering(({ headers }, response) => {
  got.push(headers.cookie ?? '');
  response.setHeader('content-type', 'text/html').end('<title>thief</title>');
});

const ASKED = ['stage', 'orders', 'orders/wanted', 'orders/wanted/documents.zip', 'orders/wanted/abort'];

async function replay(cookie: string): Promise<Set<number>> {
  const { origin } = new URL(url);
  const headers = { cookie, origin, authorization: `Bearer ${cookie.split(/=|;/)[1]}` };
  const statuses = new Set<number>();
  for (const path of ASKED) {
    const method = path.endsWith('abort') ? 'POST' : 'GET';
    const { status, body } = await fetch(`${url}api/${path}`, { method, headers });
    statuses.add(status);
    await body?.cancel();
  }
  return statuses;
}

test('whoever gets visits at another port, and replays all that they brought, opens nothing', async () => {
  const page = await openWanted();
  const tab = await page.context().newPage();
  for (const path of ['/', '/api/stage', '/orders/wanted']) await tab.goto(thiefUrl + path);
  await tab.evaluate(() => document.body.append(document.createElement('iframe')));
  await tab.frames()[1]?.goto(`${thiefUrl}/page.js`);
  const sent = await page.context().cookies();
  got.push(sent.map(({ name, value }) => `${name}=${value}`).join('; '));
  expect(got.length).toBeGreaterThan(4);
  for (const cookie of got) expect(await replay(cookie)).toEqual(new Set([401]));
  expect(await world.record('wanted')).toMatchObject({ waitingFor: 'signatures' });
});

test('a page of another port reads nothing by a tab, a frame, a script, a request or what is kept', async () => {
  const page = await openWanted();
  await page.goto(thiefUrl);
  const succeeded = await page.evaluate(async (console) => {
    const loads = (name: string, src: string) =>
      new Promise<Node>((onload, onerror) => {
        const element = document.body.appendChild(document.createElement(name));
        Object.assign(element, { onload: () => onload(element), onerror, src: console + src });
      });
    const attempts: Record<string, () => unknown> = {
      tab: async () => {
        const opened = open(console) as Window;
        while (!opened.closed) await new Promise((resolve) => setTimeout(resolve));
        return opened.document.body;
      },
      frame: async () => ((await loads('iframe', '')) as HTMLIFrameElement).contentWindow?.document.body,
      script: () => loads('script', 'page.js'),
      request: () => fetch(`${console}api/stage`, { credentials: 'include' }),
      kept: () => document.cookie || localStorage.length || sessionStorage.length || Promise.reject(),
    };
    const names = Object.keys(attempts);
    const ends = await Promise.allSettled(names.map(async (name) => attempts[name]?.()));
    return names.filter((_name, at) => ends[at]?.status === 'fulfilled');
  }, url);
  expect(succeeded).toEqual([]);
  await takeComplaints();
});

test('its person goes on after a reload, in another tab and by a typed address', async () => {
  const page = await openWanted();
  await page.reload();
  await page.getByRole('heading', { name: 'wanted' }).waitFor();
  await page.goto(url);
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'wanted' }).click({ modifiers: ['Control'] });
  await (await opened).getByRole('heading', { name: 'wanted' }).waitFor();
});
