import { parse } from 'shell-quote';
import { quoted, Refusal } from '../shared/text.ts';

/** Text whose quotes are all closed, and that does not end with a backslash. */
const CLOSED = /^(?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*$/s;

const NOT_CLOSED = '--with has a quote that is not closed: nothing was signed.';

/** The program of a command line and its arguments, by the rules of the platform. Variables are not expanded. */
export function wordsOf(commandLine: string, platform: NodeJS.Platform): string[] {
  if (platform === 'win32') return windowsWords(commandLine);
  if (!CLOSED.test(commandLine)) throw new Refusal(NOT_CLOSED);
  return parse(commandLine, (name) => `$${name}`).map((word) => {
    if (typeof word === 'string') return word;
    const sign = 'comment' in word ? '#' : 'pattern' in word ? word.pattern : word.op;
    throw new Refusal(
      `--with runs a program without a shell, and ${sign} needs one: nothing was signed. Quote it, or write a script and run that.`,
    );
  });
}

/** As CommandLineToArgvW: a backslash is an ordinary character, except before a double quote. */
function windowsWords(commandLine: string): string[] {
  const words: string[] = [];
  let isQuoted = false;
  let word: string | undefined;
  for (const [part, slashes] of `${commandLine} `.matchAll(/(\\*)"|\s|\\+|[^\s"\\]+/g)) {
    if (slashes !== undefined) {
      const isOdd = slashes.length % 2 === 1;
      word = (word ?? '') + '\\'.repeat(slashes.length / 2) + (isOdd ? '"' : '');
      if (!isOdd) isQuoted = !isQuoted;
    } else if (isQuoted || part.trim() !== '') word = (word ?? '') + part;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (isQuoted) throw new Refusal(NOT_CLOSED);
  return words;
}

/** Quotes a word where needed, for a shell of the platform and for {@link wordsOf}. */
export function quotedFor(platform: NodeJS.Platform, word: string): string {
  if (platform !== 'win32') return quoted(word);
  return /^[^\s"]+$/.test(word)
    ? word
    : `"${word.replaceAll(/(\\*)("|$)/g, (_, slashes, quote) => slashes + slashes + (quote && `\\"`))}"`;
}
