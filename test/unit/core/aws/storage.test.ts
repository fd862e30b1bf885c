import { expect, onTestFinished, test, vi } from 'vitest';
import { bucket, startHandmade } from '../../../../packages/embedded-aws/test/cloudformation/handmade-assembly.ts';

const BUCKETS = ['intake-bucket', 'staging-bucket'];
const KEYS = Array.from({ length: 25 }, (_key, position) => `orders/ref/${position}`);

/** With a single client, one call would use the endpoint of another (see `clientOf`). */
test('simultaneous calls to both buckets do not mix up their endpoints', async () => {
  const Resources = Object.fromEntries(BUCKETS.map((name, position) => [`Bucket${position}`, bucket(name)]));
  const { aws } = await startHandmade({ Stack: { Resources } });
  for (const [name, value] of Object.entries(aws.environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  // Each module has its own clients, which read their address from the environment once.
  vi.resetModules();
  const { clientOf, headObject, readObject, writeObject } = await import('../../../../core/aws/storage.ts');
  onTestFinished(() => {
    for (const bucket of BUCKETS) clientOf(bucket).destroy();
  });
  const objects = KEYS.flatMap((key) => BUCKETS.map((bucket) => ({ bucket, key })));

  const versions = await Promise.all(objects.map(({ bucket, key }) => writeObject(bucket, key, `${bucket}/${key}`)));
  const read = await Promise.all(objects.map((object) => readObject(object)));
  const heads = await Promise.all(objects.map((object) => headObject(object)));

  expect(new Set(versions).size).toBe(objects.length);
  expect(read.map((stored) => stored && Buffer.from(stored.bytes).toString())).toEqual(
    objects.map(({ bucket, key }) => `${bucket}/${key}`),
  );
  expect(read.map((stored) => stored?.versionId)).toEqual(versions);
  expect(heads.map((facts) => facts?.versionId)).toEqual(versions);
});
