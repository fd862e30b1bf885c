import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { namedErrors, withNamedErrors } from '../../infra/bundles/named-errors.ts';

test('only the named errors are registered, and nothing else changes', () => {
  const source = ['var A = 1;', 'n0_registry.registerError(One$, One);', 'n0_registry.registerError(Other$, Other);'];
  expect(withNamedErrors(source.join('\n'), new Set(['Other'])).split('\n')).toEqual([source[0], '', source[2]]);
});

/** Asks a DynamoDB that answers with this error. Returns what the bundled client throws. */
async function thrown(errorName: string): Promise<Record<string, unknown>> {
  const directory = mkdtempSync(join(tmpdir(), 'named-errors-'));
  const server = createServer((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${errorName}`, message: 'As it is.' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    rmSync(directory, { recursive: true });
  });
  const outfile = join(directory, 'client.mjs');
  const contents = `export * from '@aws-sdk/client-dynamodb';`;
  const stdin = { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) };
  const banner = { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` };
  const mainFields = ['module', 'main'];
  await build({
    stdin,
    mainFields,
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    banner,
    plugins: [namedErrors],
  });
  const { DynamoDB, ConditionalCheckFailedException } = await import(outfile);
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = new DynamoDB({ endpoint, credentials, region: 'us-east-1', maxAttempts: 1 });
  try {
    await client.getItem({ TableName: 'orders', Key: { orderRef: { S: 'a' } } });
  } catch (error) {
    const { name, message, $metadata } = error as Error & { $metadata: { httpStatusCode: number } };
    return {
      name,
      message,
      status: $metadata.httpStatusCode,
      isClass: error instanceof ConditionalCheckFailedException,
    };
  }
  throw new Error('The client threw nothing.');
}

test('an error without a class keeps its name, message and status, and one that a function names has its class', async () => {
  const known = { message: 'As it is.', status: 400 };
  expect(await thrown('LimitExceededException')).toEqual({ ...known, name: 'LimitExceededException', isClass: false });
  expect(await thrown('ConditionalCheckFailedException')).toEqual({
    ...known,
    name: 'ConditionalCheckFailedException',
    isClass: true,
  });
});
