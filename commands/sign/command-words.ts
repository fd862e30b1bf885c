import { parse } from 'shell-quote';
import { Refusal } from '../shared/text.ts';

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
  let isQuoted = false;
  const [end, quote] = ['\0', '\u0001'];
  const marked = commandLine.replaceAll(/(\\*)"|\s/g, (part, slashes?: string) => {
    if (slashes === undefined) return isQuoted ? part : end;
    const isEscaped = slashes.length % 2 === 1;
    if (!isEscaped) isQuoted = !isQuoted;
    return '\\'.repeat(slashes.length / 2) + (isEscaped ? '"' : quote);
  });
  if (isQuoted) throw new Refusal(NOT_CLOSED);
  const words = marked.split(end).filter((word) => word !== '');
  return words.map((word) => word.replaceAll(quote, ''));
}
