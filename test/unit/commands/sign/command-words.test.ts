import { createRequire } from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import { quotedFor, wordsOf } from '../../../../commands/sign/command-words.ts';

/** The examples of CommandLineToArgvW (learn.microsoft.com, shellapi.h), and paths that people have. */
test.each([
  ['"abc" d e', ['abc', 'd', 'e']],
  [String.raw`a\\b d"e f"g h`, [String.raw`a\\b`, 'de fg', 'h']],
  [String.raw`a\\\"b c d`, [String.raw`a\"b`, 'c', 'd']],
  [String.raw`a\\\\"b c" d e`, [String.raw`a\\b c`, 'd', 'e']],
  [
    String.raw`"C:\Program Files\Crypto Pro\CSP\csptest.exe" -my "ООО \"Ромашка\"" ""`,
    [String.raw`C:\Program Files\Crypto Pro\CSP\csptest.exe`, '-my', 'ООО "Ромашка"', ''],
  ],
  [String.raw`C:\O'Brien\sign.cmd '{document}'`, [String.raw`C:\O'Brien\sign.cmd`, `'{document}'`]],
])('Windows splits the line %s by its own rules', (line, words) => {
  expect(wordsOf(line, 'win32')).toEqual(words);
});

test('a line for Windows whose quote is not closed is refused', () => {
  expect(() => wordsOf(String.raw`sign "C:\a\" {document}`, 'win32')).toThrow('has a quote that is not closed');
});

test.each(['a b', 'a"b', String.raw`C:\my files\ `.trim(), String.raw`\\"`, '', "it's", 'plain'])(
  'a word that is quoted is the same word when it is split: %j',
  (word) => {
    for (const platform of ['win32', 'linux'] as const)
      expect(wordsOf(quotedFor(platform, word), platform)).toEqual([word]);
  },
);

// Windows is not here: this is only the text that cmd.exe would get.
test('on Windows, a .cmd gets its words through cmd.exe with every special character escaped', () => {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'win32' } }));
  onTestFinished(() => vi.unstubAllGlobals());
  const require = createRequire(import.meta.url);
  const parse = require('cross-spawn')._parse;
  const words = [String.raw`C:\my files\document.pdf`, 'a&b', '%PATH%', '^', 'say "x"', '\\'];
  const { args, options } = parse(String.raw`C:\Program Files\sign.cmd`, words);
  expect(options).toEqual({ windowsVerbatimArguments: true });
  const line = String.raw`C:\Program^ Files\sign.cmd ^"C:\my^ files\document.pdf^" ^"a^&b^" ^"^%PATH^%^" ^"^^^" ^"say^ \^"x\^"^" ^"\\^"`;
  expect(args).toEqual(['/d', '/s', '/c', `"${line}"`]);
});
