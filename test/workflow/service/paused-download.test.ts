import { ListMultipartUploadsCommand, ListPartsCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { downloading, inject, type ServiceFault } from '../../helpers/faults.ts';
import { SIGNATURES_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const MIB = 1024 * 1024;
const MINUTE = 60_000;
/** How long S3 waits for the next bytes of a body. */
const IDLE = 20_000;

const world = await openWorld({ settings: SIGNATURES_AT_ONCE });

/** The parts that staging holds of uploads that are not complete. */
async function storedParts(): Promise<number> {
  const Bucket = world.outputs.StagingBucket;
  const { Uploads = [] } = await world.s3.send(new ListMultipartUploadsCommand({ Bucket }));
  const pages = Uploads.map(({ Key, UploadId }) => world.s3.send(new ListPartsCommand({ Bucket, Key, UploadId })));
  return (await Promise.all(pages)).reduce((sum, { Parts = [] }) => sum + Parts.length, 0);
}

test('a download that pauses for a minute is staged, and is not downloaded again', async () => {
  const content = Buffer.alloc(6 * MIB, '%PDF');
  world.simulator.settings.documentTemplates = [{ fileId: 'paused', content }];
  inject(world.simulator, 'before', downloading, async (_call, _request, reply) => {
    const { raw } = reply.hijack();
    raw.writeHead(200, { 'content-type': 'application/pdf', 'content-length': content.length });
    raw.write(content.subarray(0, -1));
    const { clock } = world;
    const arrived = async () => clock.nextTimerAt() === clock.now() + IDLE || (await storedParts()) > 0;
    await expect.poll(arrived).toBe(true);
    clock.advanceTo(clock.now() + MINUTE);
    raw.end(content.subarray(-1));
  });
  await submit(world, 'paused');
  expect(await world.untilEnd('paused')).toMatchObject({ status: 'CLOSED' });
  // Once to be signed, and once to be compared.
  expect(await world.calls('paused', downloading)).toHaveLength(2);
});

const causeOf = async (orderRef: string) =>
  (await world.until(orderRef, ({ failure }) => failure !== undefined)).failure?.cause;

test('a long document that S3 refuses is not taken for a broken download', async () => {
  world.wrappers.requestWrapper = async ({ operation, path }) =>
    operation === 'PUT' && path.includes('/refused/to-sign/') ? { status: 403, code: 'AccessDenied' } : undefined;
  world.simulator.settings.documentTemplates = [{ fileId: 'refused', content: Buffer.alloc(40 * MIB, '%PDF') }];
  await submit(world, 'refused');
  expect(await causeOf('refused')).toMatch(/document number 1 to sign could not be staged \(AccessDenied\)/);
  expect(await storedParts()).toBe(0);
});

test('a download that breaks off leaves no parts, and is not taken for a fault of S3', async () => {
  const breakOff: ServiceFault = async (_call, _request, reply) => {
    const { raw } = reply.hijack();
    raw.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 20 * MIB });
    raw.write(Buffer.alloc(6 * MIB, '%PDF'), () => raw.destroy());
  };
  inject(world.simulator, 'before', downloading, breakOff, Number.POSITIVE_INFINITY);
  await submit(world, 'cut');
  expect(await causeOf('cut')).toMatch(/the download of document number 1 to sign broke off/);
  expect(await storedParts()).toBe(0);
});
