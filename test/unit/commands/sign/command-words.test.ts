import { X509Certificate } from 'node:crypto';
import { createRequire } from 'node:module';
import { makeSigner } from '@business-loan-orders/detached-signatures/certificates';
import { expect, onTestFinished, test, vi } from 'vitest';
import { wordsOf } from '../../../../commands/sign/command-words.ts';
import { opensslOption } from '../../../../commands/sign/openssl-program.ts';

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

test.each(['linux', 'win32'] as const)(
  'the line that is printed for OpenSSL on %s is split into its words',
  (platform) => {
    const { certificate } = makeSigner('p-256');
    const key = 'pkcs11:token=t;object=o';
    const cert = platform === 'win32' ? String.raw`C:\my files\c.pem` : `it's "mine"/c.pem`;
    const option = opensslOption(key, cert, new X509Certificate(certificate), platform) ?? '';
    const [, line = ''] = wordsOf(option, platform);
    const words = wordsOf(line, platform);
    const by = ['-signer', cert, '-inkey', key, '-nocerts', '-certfile', cert];
    const files = [...by, '-in', '{document}', '-out', '{signature}'];
    expect(words.slice(-files.length)).toEqual(files);
  },
);

// Windows is not here: this is only the text that cmd.exe would get.
test('on Windows, a .cmd gets its words through cmd.exe with every special character escaped', () => {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'win32' } }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const require = createRequire(import.meta.url);
  const path = require.resolve('cross-spawn/lib/parse');
  delete require.cache[path];
  const parse = require(path);
  const words = [String.raw`C:\my files\document.pdf`, 'a&b', '%PATH%', '^', 'say "x"', '\\'];
  const { args, options } = parse(String.raw`C:\Program Files\sign.cmd`, words);
  expect(options).toEqual({ windowsVerbatimArguments: true });
  const line = String.raw`C:\Program^ Files\sign.cmd ^"C:\my^ files\document.pdf^" ^"a^&b^" ^"^%PATH^%^" ^"^^^" ^"say^ \^"x\^"^" ^"\\^"`;
  expect(args).toEqual(['/d', '/s', '/c', `"${line}"`]);
});
