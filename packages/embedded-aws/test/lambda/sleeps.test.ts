import { expect, test } from 'vitest';
import { SystemClock } from '../../index.ts';
import { invokeFunction, lambdaResource, startHandmade } from '../cloudformation/handmade-assembly.ts';

/** A sleep beside a limit that ends sooner. */
const CODE = `
export const race = () => Promise.race([
  new Promise((resolve) => setTimeout(resolve, 400, 'slept')),
  new Promise((resolve) => setTimeout(() => resolve('limited'), 200)),
]);
`;

const Resources = { Race: lambdaResource('code', 'race') };

test('a function sleeps for a short real time in virtual time, while its limits keep their time', async () => {
  const { aws } = await startHandmade({ Stack: { Resources } }, { code: CODE });
  expect((await invokeFunction(aws.endpoint, 'race', {})).result).toBe('slept');
});

test('a function sleeps for its time on the clock of the machine', async () => {
  const { aws } = await startHandmade({ Stack: { Resources } }, { code: CODE }, { clock: new SystemClock() });
  expect((await invokeFunction(aws.endpoint, 'race', {})).result).toBe('limited');
});
