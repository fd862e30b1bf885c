import { expect, test } from 'vitest';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { SLOWER_SERVICE } from '../../helpers/world.ts';

const finished = new Set<string>();

/**
 * Every step of the state machine finishes its work, then its answer is lost, so the state machine runs the step again. For
 * reads, each distinct answer is lost once: a repeated read that is too early returns a wait, and the next read gets the same
 * answer. The creation is left out because it is never run again after such an error.
 */
const world = await openWorld({
  settings: { ...SLOWER_SERVICE, documentsToSign: 2 },
  invokeWrapper: async (functionName, event, invoke) => {
    const result = await invoke();
    const { generation, taskToken: _taskToken, reads, ...step } = event as Record<string, unknown>;
    const name = `${functionName} ${reads === undefined ? JSON.stringify(step) : answerOf(result.payload)}`;
    if (generation === undefined || functionName.endsWith('create-order') || finished.has(name)) return result;
    finished.add(name);
    throw Object.assign(new Error('The answer was lost'), { name: 'Lambda.ServiceException' });
  },
});

function answerOf(payload: string): string {
  const { status, todo, round } = JSON.parse(payload) as Record<string, unknown>;
  return JSON.stringify({ status, todo, round });
}

test('an order whose steps all run twice makes every call once', async () => {
  await submit(world, 'repeated', { documents: ['a.pdf', 'b.pdf'] });
  expect(await world.untilEnd('repeated')).toMatchObject({ status: 'CLOSED', generation: 1 });
  const steps = [...finished].map((name) => name.split(' ')[0]?.replace('loan-orders-local-', ''));
  expect(new Set(steps)).toEqual(
    new Set([
      'read-order',
      'upload-document',
      'accept-order',
      'download-document',
      'await-signatures',
      'upload-signature',
      'choose-offer',
      'confirm-offer',
    ]),
  );
  const calls = (await world.calls('repeated')).filter(
    ({ method, route }) => method === 'POST' || route?.endsWith('/download'),
  );
  const routes = calls.map(({ route }) => route?.replace('/v1/orders/{orderId}', ''));
  expect(routes.sort()).toEqual(
    [
      '/v1/orders',
      '/documents',
      '/documents',
      '/accept',
      '/accept',
      '/confirm',
      '/confirm',
      // Each document is downloaded once to be signed and once to be compared.
      ...Array(4).fill('/documents/{fileId}/download'),
      ...Array(2).fill('/documents/sign'),
    ].sort(),
  );
  expect(calls.every(({ status }) => status !== undefined && status < 300)).toBe(true);
});
