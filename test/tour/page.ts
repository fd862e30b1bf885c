/** What a reader of the page does, and then sees. */
export type Step =
  | { kind: 'command'; command: string; shows: string[]; line: number }
  | { kind: 'keys'; keys: string[]; shows: string[]; line: number };

export interface Part {
  title: string;
  steps: Step[];
}

/**
 * Reads the steps of a page: commands are the lines of `console` blocks that begin with `$ `, and the lines below one are what it
 * shows. `<kbd>` in the text is a key that is pressed between two blocks; a block without a command is what the keys bring.
 */
export function readPage(text: string): Part[] {
  const parts: Part[] = [];
  let isBlock = false;
  text.split('\n').forEach((line, index) => {
    const steps = parts.at(-1)?.steps ?? [];
    if (line.startsWith('```')) isBlock = line === '```console';
    else if (isBlock) addLine(steps, line, index + 1);
    else if (line.startsWith('## ')) parts.push({ title: line.slice(3), steps: [] });
    else addKeys(steps, line, index + 1);
  });
  return parts;
}

function addLine(steps: Step[], line: string, number: number): void {
  if (line.startsWith('$ ')) steps.push({ kind: 'command', command: line.slice(2), shows: [], line: number });
  else if (line.trim() !== '') steps.at(-1)?.shows.push(line);
}

function addKeys(steps: Step[], line: string, number: number): void {
  const keys = [...line.matchAll(/<kbd>([^<]+)<\/kbd>/g)].map(([, key = '']) => key);
  if (keys.length > 0) steps.push({ kind: 'keys', keys, shows: [], line: number });
}

/** Which of these lines does not appear, in this order; `…` stands for anything. Undefined if all do. */
export function missingFrom(screen: readonly string[], shows: readonly string[]): string | undefined {
  let from = 0;
  for (const expected of shows) {
    const pattern = new RegExp(`^${expected.trimEnd().split('…').map(literally).join('.*')}$`);
    const at = screen.findIndex((line, index) => index >= from && pattern.test(line.trimEnd()));
    if (at < 0) return expected;
    from = at + 1;
  }
  return undefined;
}

const literally = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
