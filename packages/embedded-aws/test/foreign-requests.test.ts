import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rawRequest } from '../../../test/helpers/raw-request.ts';
import { startSimulator } from '../../order-simulator/index.ts';
import { startS3 } from './s3/s3-fixture.ts';

const foreign: [string, Record<string, string>][] = [
  ['by a web page', { origin: 'https://example.com' }],
  ['by a web page that hides its origin', { origin: 'null' }],
  ['by a web page of another program on this machine', { origin: 'http://localhost:3000' }],
  ['under a host name that resolves to this machine', { host: 'rebound.example.com' }],
  ['under a host name that only begins like the name of this machine', { host: 'localhost.example.com:80' }],
  ['under another address', { host: '169.254.169.254' }],
];

const own = (url: string): [string, Record<string, string>][] => [
  ['its address', {}],
  ['localhost', { host: `localhost:${new URL(url).port}` }],
  ['LOCALHOST', { host: 'LOCALHOST' }],
];

describe('the embedded AWS', () => {
  test.each(foreign)('refuses a request made %s, and does nothing', async (_by, headers) => {
    const { aws, s3, text } = await startS3();
    await s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'secret', Body: 'kept' }));
    const read = await rawRequest(`${aws.endpoint}/bucket/secret`, { headers });
    expect(read).toEqual({ status: 403, text: expect.stringContaining('this machine') });
    const write = await rawRequest(`${aws.endpoint}/bucket/secret`, { method: 'PUT', headers, body: 'changed' });
    expect(write.status).toBe(403);
    expect(await text('secret')).toBe('kept');
  });

  test('answers programs of this machine under each of its names', async () => {
    const { aws, s3 } = await startS3();
    await s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'secret', Body: 'kept' }));
    for (const [, headers] of own(aws.endpoint)) {
      expect(await rawRequest(`${aws.endpoint}/bucket/secret`, { headers })).toEqual({ status: 200, text: 'kept' });
    }
  });
});

describe('the simulator of the order service', () => {
  test.each(foreign)('refuses a request made %s, and does not record it', async (_by, headers) => {
    const simulator = await startSimulator();
    onTestFinished(() => simulator.close());
    const { clientId, clientSecret } = simulator.settings;
    const body = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const token = await rawRequest(`${simulator.url}/oauth2/token`, {
      method: 'POST',
      headers: { ...form, ...headers },
      body,
    });
    expect(token).toEqual({ status: 403, text: expect.stringContaining('this machine') });
    for (const path of ['/simulator/calls', '/nowhere']) {
      expect((await rawRequest(`${simulator.url}${path}`, { headers })).status).toBe(403);
    }
    expect(simulator.calls()).toEqual([]);
  });

  test('answers programs of this machine under each of its names', async () => {
    const simulator = await startSimulator();
    onTestFinished(() => simulator.close());
    for (const [, headers] of own(simulator.url)) {
      expect((await rawRequest(`${simulator.url}/simulator/calls`, { headers })).status).toBe(200);
    }
  });
});
