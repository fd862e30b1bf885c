import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
let running: ChildProcess | undefined;

function run(...options: string[]) {
  const child = spawn(process.execPath, [main, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  running = child;
  return child;
}

afterEach(() => {
  if (running?.exitCode === null) running.kill('SIGKILL');
});

describe('the command line of the simulator', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'prints its address and credentials, serves, and closes on %s',
    async (signal) => {
      const child = run();
      let output = '';
      for await (const chunk of child.stdout) {
        output += chunk;
        if (output.includes('Create an order:')) break;
      }
      const url = output.match(/base_url +(\S+)/)?.[1] ?? '';
      const clientId = output.match(/client_id +(\S+)/)?.[1] ?? '';
      const clientSecret = output.match(/client_secret +(\S+)/)?.[1] ?? '';
      const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const answer = await fetch(`${url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(fields) });
      expect(answer.status).toBe(200);
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
    },
  );

  test('reports a port that is taken in one sentence', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const child = run('--port', String(port));
    const [message, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    other.close();
    expect(message).toBe(`Port ${port} is in use. Choose another with --port.\n`);
    expect(code).toBe(1);
  });

  test.each(['65536', '1.5'])('reports the invalid port %s in one sentence', async (port) => {
    const child = run(`--port=${port}`);
    const [message, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(message).toBe(`--port must be a number from 0 to 65535, not "${port}".\n`);
    expect(code).toBe(1);
  });
});
