import { expect, it } from 'vitest';
import { casesOf } from './case.ts';
import { moto } from './differences.ts';
import type { Engine } from './engines.ts';
import { problems } from './report.ts';
import { runAll } from './run.ts';

/** Answers every command with its input. */
class Echo {
  async send({ input }: { input: unknown }) {
    return input;
  }
  destroy() {}
}

class EchoCommand {
  readonly input: { text: string };
  constructor(input: { text: string }) {
    this.input = input;
  }
  declare resolveMiddleware: () => () => Promise<{ output: { text: string } }>;
}

const engine: Engine = {
  ...{ name: 'moto', settings: {}, restricted: {}, scope: {}, patience: 0 },
  close: async () => undefined,
};
const { answers } = casesOf(Echo, 'https://example.com/{operation}');
const says = (title: string, answer: string, options = {}) =>
  answers(title, EchoCommand, { text: 'said' }, ({ text }) => text, answer, options);

it('finds differences without a reason, and reasons without their difference', async () => {
  const cases = [
    says('as AWS', 'said'),
    says('otherwise', 'else'),
    says('otherwise for a reason', 'else', moto('said', 'moto is wrong.')),
    says('otherwise than the reason says', 'else', moto('third', 'moto is wrong.')),
    says('as AWS, though there is a reason', 'said', moto('third', 'moto is wrong.')),
  ];
  const results = await runAll([{ service: 'Echo', cases }], engine);
  expect(results.map(({ verdict }) => verdict)).toEqual(['same', 'unexplained', 'known', 'stale', 'stale']);
  expect(problems(results, 'moto').map((line) => /: (.*?): expected/.exec(line)?.[1])).toEqual([
    'otherwise',
    'otherwise than the reason says',
    'as AWS, though there is a reason',
  ]);
});
