import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { serveConsole } from '../helpers/open-console.ts';
import type { World } from '../helpers/world.ts';

/** Outside git. CI keeps them. */
const SHOTS = fileURLToPath(new URL('../../.local/screenshots/', import.meta.url));
/** A folder for pictures of half the size as well, such as those of docs/console.md. */
const { SMALL_SCREENSHOTS } = process.env;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const disabled = ['gpu', 'quic', 'background-networking', 'component-update', 'sync'];
const ARGUMENTS = ['--headless', '--no-sandbox', '--no-first-run', ...disabled.map((name) => `--disable-${name}`)];

/** After the file's tests it expects that the pages complained of nothing. A test that provokes complaints takes them. */
export async function openBrowser(world: World) {
  const { served, addresses } = await serveConsole(world, 100);
  const browser = await launchBrowser();
  const first = await browser.newContext();
  const opened = await first.newPage();
  await opened.goto(addresses[0] ?? '');
  expect(opened.url()).toBe(served.url);
  const storageState = await first.storageState();
  await first.close();
  const complaints: string[] = [];
  afterAll(() => expect(complaints).toEqual([]));
  let context: BrowserContext | undefined;
  const open = async (path: string, options: BrowserContextOptions = {}) => {
    await context?.close();
    const viewport = { width: 1280, height: 800 };
    context = await browser.newContext({ storageState, viewport, locale: 'en-GB', ...options });
    const page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await page.goto(new URL(path, served.url).href);
    return page;
  };
  /** Closes the page, and takes what it complained of: nothing comes of it later. */
  const takeComplaints = async () => {
    await context?.close();
    return complaints.splice(0);
  };
  return { open, url: served.url, complaints, takeComplaints };
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  afterAll(() => browser.close());
  return browser;
}

export async function lookAt(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}${name}.png` });
  if (SMALL_SCREENSHOTS !== undefined) await keepSmall(page, `${SMALL_SCREENSHOTS}/${name}.webp`);
  expect(await violations(page), name).toEqual([]);
}

/** What axe finds wrong with a page. It looks into no frame: those show what the page does not make. */
async function violations(shown: Page): Promise<string[]> {
  // As a protocol call, which the content security policy allows.
  await shown.evaluate(axe);
  return shown.evaluate(async () => {
    const run = (globalThis as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } }).axe.run();
    return (await run).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
    );
  });
}

/** Whether more than a hundredth of what is seen of an element is red. */
export async function isRed(element: Locator): Promise<boolean> {
  const picture = (await element.screenshot()).toString('base64');
  return element.page().evaluate(async (source) => {
    const image = Object.assign(new Image(), { src: `data:image/png;base64,${source}` });
    await image.decode();
    const { width, height } = image;
    const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
    context?.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context?.getImageData(0, 0, width, height).data.buffer ?? new ArrayBuffer(0));
    return pixels.filter((pixel) => pixel === 0xff0000ff).length > pixels.length / 100;
  }, picture);
}

/** What is wider than the window, hides a part of its text, or leaves room in a table of cards. A box that scrolls by design is left out, but no sum or date in it. */
const CUT = `(() => {
  const page = document.documentElement;
  const scrolls = (one) => !one.matches('td.sum, td.due') && one.closest('.frame, .scroll, pre, input, textarea, select, .hidden, .skip, svg') !== null;
  const cut = [...document.querySelectorAll('body *')].filter((one) => {
    const { overflowX, position } = getComputedStyle(one);
    if (scrolls(one) || position === 'absolute' || one.clientWidth === 0) return false;
    return one.getBoundingClientRect().right > innerWidth + 1 || (overflowX !== 'visible' && one.scrollWidth > one.clientWidth + 1);
  });
  const isNarrow = (one) => innerWidth < 640 && one.clientWidth < one.parentElement.clientWidth;
  const narrow = [...document.querySelectorAll('.stacks tbody > tr > *')].filter(isNarrow);
  return [
    ...narrow.map((one) => 'a card does not fill its row: ' + one.textContent),
    ...(page.scrollWidth > innerWidth ? ['the page is ' + page.scrollWidth + ' pixels wide'] : []),
    ...cut.map((one) => one.tagName + '.' + one.getAttribute('class') + ': ' + one.textContent.slice(0, 60)),
  ];
})()`;

export const cutIn = (page: Page) => page.evaluate(CUT) as Promise<string[]>;

export async function expectFits(page: Page, words: Record<'ru' | 'en', string>): Promise<void> {
  for (const [label, language] of [
    ['Language', 'ru'],
    ['Язык', 'en'],
  ] as const) {
    await page.getByLabel(label).selectOption(language);
    await page.getByText(words[language]).first().waitFor();
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await cutIn(page)).toEqual([]);
    }
  }
}

export const signatureFiles = (signatures: Uint8Array[]) =>
  signatures.map((bytes, at) => ({ name: `${at}.sig`, mimeType: '', buffer: Buffer.from(bytes) }));

export async function dropOnto(page: Page, ...files: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { x = 0, y = 0 } = (await page.locator('.drop').boundingBox()) ?? {};
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const data = { items: [], files, dragOperationsMask: 1 };
    await session.send('Input.dispatchDragEvent', { type, x: x + 20, y: y + 20, data });
  }
}

async function keepSmall(page: Page, file: string): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const session = await page.context().newCDPSession(page);
  const clip = { x: 0, y: (await page.evaluate('scrollY')) as number, width, height, scale: 0.5 };
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80, clip });
  writeFileSync(file, Buffer.from(data, 'base64'));
}

interface AxeViolation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}
