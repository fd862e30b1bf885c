import { describe, expect, test } from 'vitest';
import { loanOrders } from '../../helpers/command-line.ts';

/** The words that are offered for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await loanOrders(['complete', '--', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] ?? '');
}

describe('completion offers', () => {
  test('every command that the help shows, and no other', async () => {
    const { stdout } = await loanOrders(['--help']);
    const commands = stdout
      .slice(stdout.indexOf('Packages,'), stdout.indexOf('Exit codes:'))
      .matchAll(/^ {2}([a-z-]+) /gm);
    expect(await offered('')).toEqual([...commands].map(([, name]) => name));
    expect(await offered('')).toEqual(expect.arrayContaining(['submit', 'list', 'doctor', 'completion']));
  });

  test.each([
    ['sh', 'show'],
    ['stage ', 'init explain help'],
    ['--stage ', 'local prod rehearsal test'],
    ['list --stage pr', 'prod'],
    // bash splits at the equals sign, other shells do not.
    ['list --stage = pr', 'prod'],
    ['list --stage =', 'local prod rehearsal test'],
    ['list --stage=pr', '--stage=prod'],
    ['--stage prod li', 'lint list'],
    ['list --waiting-for s', 'service signatures'],
    ['completion ', 'bash zsh fish'],
    ['confirm my-order --n', '--none'],
    ['sign my-order --key ', ':files'],
    ['sign my-order --cert=c', ':files'],
    ['lint ', ':folders'],
    ['lint my-order --stage t', 'test'],
    ['rule --test rule.jsonata ', ':files'],
    ['show ', ''],
    ['show -- -', ''],
    ['nothing ', ''],
  ])('for "%s" the words "%s"', async (typed, words) => {
    expect((await offered(...typed.split(' '))).join(' ')).toBe(words);
  });

  test('the options of a command and those of all commands, with their descriptions', async () => {
    expect(await offered('resolve', 'my-order', '--')).toEqual(
      expect.arrayContaining(['--order-id', '--none', '--local', '--endpoint', '--json', '--help']),
    );
    const { stdout } = await loanOrders(['complete', '--', 'hold', 'my-order', '--re']);
    expect(stdout).toBe('--release\tend the hold\n');
  });
});
