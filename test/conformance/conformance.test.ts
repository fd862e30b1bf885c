import { expect, it } from 'vitest';
import { startEmbedded } from './engines.ts';
import { problems } from './report.ts';
import { runAll } from './run.ts';
import { suites } from './suites.ts';

it('answers as AWS documents, but for the differences that the table explains', async () => {
  const engine = await startEmbedded();
  const results = await runAll(suites, engine).finally(() => engine.close());
  expect(problems(results, engine.name)).toEqual([]);
});
