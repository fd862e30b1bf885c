import { expect, test } from 'vitest';
import { invokeFunction, lambdaResource, startHandmade } from '../cloudformation/handmade-assembly.ts';

const CODE = `
const atStart = process.env.COLOUR;
let calls = 0;
export const painter = async () => ({ atStart, colour: process.env.COLOUR, size: process.env.SIZE, calls: ++calls });
export const other = async () => ({ colour: process.env.COLOUR ?? null, size: process.env.SIZE ?? null, calls: ++calls });
`;

async function start() {
  const Environment = { Variables: { COLOUR: 'green' } };
  const Resources = {
    Painter: lambdaResource('code', 'painter', { Environment }),
    Other: lambdaResource('code', 'other'),
  };
  const { aws } = await startHandmade({ Stack: { Resources } }, { code: CODE }, { lambdaThreads: 1 });
  const call = async (name: string) => (await invokeFunction(aws.endpoint, name, {})).result;
  return { aws, call };
}

test('a function gets other values of its variables, loads again for them, and keeps what it has loaded for the others', async () => {
  const { aws, call } = await start();
  expect(await call('painter')).toEqual({ atStart: 'green', colour: 'green', calls: 1 });
  aws.useFunctionVariables({ COLOUR: 'red' });
  expect(await call('painter')).toEqual({ atStart: 'red', colour: 'red', calls: 1 });
  expect(await call('painter')).toMatchObject({ colour: 'red', calls: 2 });
  aws.useFunctionVariables({});
  expect(await call('painter')).toEqual({ atStart: 'green', colour: 'green', calls: 2 });
  aws.useFunctionVariables({ COLOUR: 'red' });
  expect(await call('painter')).toMatchObject({ atStart: 'red', calls: 3 });
});

test('a function that does not have the variable stays as it is, and a variable that no function has is given to all', async () => {
  const { aws, call } = await start();
  await call('other');
  aws.useFunctionVariables({ COLOUR: 'red' });
  expect(await call('other')).toEqual({ colour: null, size: null, calls: 2 });
  aws.useFunctionVariables({ SIZE: 'L' });
  expect(await call('other')).toEqual({ colour: null, size: 'L', calls: 1 });
  expect(await call('painter')).toMatchObject({ colour: 'green', size: 'L' });
});
