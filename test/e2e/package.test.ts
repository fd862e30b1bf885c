import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { OrderItem } from '../../core/order/order-item.ts';
import { createApp } from '../../infra/app.ts';
import { EMBEDDED_CONTEXT } from '../../infra/stage-folder.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { answer, inject, reading, removeFaults } from '../helpers/faults.ts';
import { installedPackage, nextRelease, runIn } from '../helpers/installed-package.ts';
import { choicesOf, decide, untilOffers } from '../helpers/offers.ts';
import { oldestNode } from '../helpers/oldest-node.ts';
import { MAIN_PATH, openWorld, rareSweeps } from '../helpers/open-world.ts';
import { orderAtService } from '../helpers/signatures.ts';

const installed = await installedPackage();
const { folder, home } = installed;

async function assembly(name: string): Promise<string> {
  const output = join(folder, name);
  await installed.loanOrders('synth', 'local', '--context', `${EMBEDDED_CONTEXT}=true`, '--quiet', '--output', output);
  return output;
}

const first = await assembly('first');
const world = await openWorld({
  isNew: true,
  assemblyDirectory: first,
  settings: MAIN_PATH,
  ordersGoOn: true,
  deliveryWrapper: rareSweeps(20),
});

const SHOP = `
stackName: Platform
orderService:
  baseUrl: https://orders.shop.ru
  authorizationUrl: https://login.shop.ru
alarms:
  notify: ops@shop.ru
`;
const stages = join(folder, 'stages');
mkdirSync(stages);
writeFileSync(join(stages, 'shop.yaml'), SHOP);

const template = (output: string, stack: string) =>
  JSON.parse(readFileSync(join(output, `${stack}.template.json`), 'utf8'));

const bundlesIn = (output: string) => readdirSync(output).filter((name) => name.startsWith('asset.'));

test('the installed package synthesizes a stage of its folder as a checkout does, with the functions that the release names', async () => {
  await installed.loanOrders('synth', 'shop', '--quiet', '--no-path-metadata', '--no-asset-metadata');
  const outdir = join(folder, 'checkout');
  createApp({ outdir, context: { stage: 'shop', stages } }).synth();
  const own = join(folder, 'cdk.out');
  expect(template(own, 'LoanOrders-shop')).toEqual(template(outdir, 'LoanOrders-shop'));
  expect(bundlesIn(own)).toEqual(bundlesIn(outdir));
  const named = readFileSync(join(home, 'dist/bundles/SHA256SUMS'), 'utf8');
  const hashes = bundlesIn(own).map((name) => hash('sha256', readFileSync(join(own, name, 'index.mjs'))));
  expect(hashes.length).toBeGreaterThan(10);
  expect(hashes.filter((one) => !named.includes(one))).toEqual([]);
});

/** The app of docs/deployment.md. */
const [, app = ''] = /```ts\n(.*?)```/s.exec(readFileSync('docs/deployment.md', 'utf8')) ?? [];

test('a CDK app of ten lines has the construct, with its types', async () => {
  writeFileSync(join(folder, 'app.mts'), app.replace("'prod'", "'shop'"));
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
  const types = [
    '--typeRoots',
    fileURLToPath(new URL('../../node_modules/@node-22', import.meta.url)),
    '--types',
    'node',
  ];
  const options = '--module nodenext --target es2024 --strict --skipLibCheck --outDir . --rootDir .'.split(' ');
  await runIn(folder, process.execPath, tsc, ...options, ...types, 'app.mts');
  await runIn(folder, 'env', 'CDK_OUTDIR=theirs', process.execPath, 'app.mjs');
  const { Resources } = template(join(folder, 'theirs'), 'Platform');
  expect(Object.keys(Resources).length).toBe(
    Object.keys(template(join(folder, 'cdk.out'), 'LoanOrders-shop').Resources).length,
  );
});

test('on the oldest Node, the installed package runs the laptop until every example has ended', async () => {
  const bin = join(home, 'bin/loan-orders.js');
  const printed = await runIn(folder, oldestNode(), bin, 'local', '--once', '--port', '0', '--simulator-port', '0');
  expect(printed).toContain('All 5 examples reached their ends.');
}, 60_000);

const { simulator } = world;
const usual = { ...simulator.settings };
const HOUR = 3_600;

/** Each lets its order reach a wait. While the first two do, the partner's signer signs. */
const WAITS: Record<string, (orderRef: string) => Promise<unknown>> = {
  decision: (orderRef) => untilOffers(world, orderRef),
  approved: async (orderRef) => {
    simulator.settings.bankSeconds = 20 * HOUR;
    await world.submitUntil(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
    Object.assign(simulator.settings, usual);
  },
  signatures: (orderRef) => world.submitToSign(orderRef),
  documents: (orderRef) =>
    world.submitUntil(orderRef, ({ status }) => status === 'WAITING_FOR_DOCUMENTS', {}, { signing: false }),
  operator: async (orderRef) => {
    inject(simulator, 'before', reading, answer(403), Number.POSITIVE_INFINITY);
    await world.submitUntil(orderRef, ({ waitingFor }) => waitingFor === 'operator', {}, { signing: false });
    removeFaults(simulator);
  },
  outage: async (orderRef) => {
    inject(simulator, 'before', reading, answer(503), Number.POSITIVE_INFINITY);
    await world.submitUntil(orderRef, ({ resume }) => resume !== undefined, {}, { signing: false });
    removeFaults(simulator);
  },
  paused: async (orderRef) => {
    await command('pause', '--reason', 'update');
    await world.submitUntil(orderRef, () => true, {}, { signing: false });
  },
};

async function command(...args: string[]): Promise<void> {
  expect(await loanOrders(['--endpoint', world.aws.endpoint, ...args])).toMatchObject({ code: 0 });
}

test('orders in every wait go on through an update to the next release and back, and all are CLOSED', async () => {
  await installed.install(await nextRelease(home, folder, '1.0.1', 'read-order'));
  const second = await assembly('second');
  world.aws.startSchedules();
  for (const [orderRef, reach] of Object.entries(WAITS)) await reach(orderRef);
  const releaseNow = () => world.aws.outputs['LoanOrders-local']?.Release;
  const before = releaseNow();
  await world.aws.deploy(second);
  expect(releaseNow()).not.toBe(before);
  await command('resume');
  await world.pass(HOUR * 1000);
  const moved = ({ release }: OrderItem) => release === releaseNow();
  for (const orderRef of ['signatures', 'approved']) await world.until(orderRef, moved, { signing: false });
  await installed.install(installed.released);
  await world.aws.deploy(await assembly('back'));
  expect(releaseNow()).toBe(before);
  await command('retry', 'operator');
  await decide(world, 'decision', choicesOf(await orderAtService(world, 'decision')));
  for (const orderRef of Object.keys(WAITS)) {
    expect(await world.untilEnd(orderRef), orderRef).toMatchObject({ status: 'CLOSED' });
    const uploads = await world.calls(
      orderRef,
      ({ method, path, status = 0 }) => method === 'POST' && status < 300 && !path.endsWith('/accept'),
    );
    const sent = uploads.map(
      ({ path, requestBody }) => `${path} ${requestBody?.kind === 'json' ? requestBody.text : ''}`,
    );
    expect(new Set(sent).size, `${orderRef}: ${sent.join(', ')}`).toBe(sent.length);
  }
  expect(simulator.orders()).toHaveLength(Object.keys(WAITS).length);
}, 180_000);
