import { z } from 'zod';
import { bounded } from '../../core/limits.ts';
import type { Fault } from './fault.ts';
import { nextHash } from './hash-chain.ts';
import { type Manifest, TIMELINE } from './manifest.ts';
import { parsePage } from './pages.ts';
import { timelineStart } from './record-files.ts';

const lineSchema = z.strictObject({
  number: z.int().min(1),
  item: z.string(),
  at: z.string(),
  what: z.string(),
  facts: z.custom<Record<string, string | number>>(isFacts),
  chain: z.string(),
});

type Line = z.infer<typeof lineSchema>;

/**
 * What is wrong with the lines of the timeline, line by line. The manifest says how many there are, and the last hash.
 */
export function timelineFaults(page: Buffer, { orderRef, timeline }: Manifest['about']): Fault[] {
  const lines = linesIn(parsePage(page));
  if (!lines) return [fault('timeline unreadable', 'It is not a list of lines with numbers and hashes.')];
  const byNumber = new Map(lines.map((line) => [line.number, line]));
  const faults = [...misplaced(lines), ...changed(byNumber, timelineStart(orderRef))];
  faults.push(...missing([...byNumber.keys()], timeline.lines));
  for (const { number, what } of lines.filter((line) => line.number > timeline.lines))
    faults.push(
      fault('timeline line added', `Line ${number} ("${quoted(what)}") is not one of the ${timeline.lines} lines.`),
    );
  const last = byNumber.get(timeline.lines);
  if (faults.length === 0 && last && last.chain !== timeline.head)
    faults.push(fault('timeline line changed', `The hash of line ${last.number} is not the one in the manifest.`));
  return faults;
}

/** Stops at the first line that is none: zod keeps every problem of a list in memory. */
function linesIn(page: unknown): Line[] | undefined {
  const isList = Array.isArray(page) && page.every((line) => lineSchema.safeParse(line).success);
  return isList ? page : undefined;
}

function isFacts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((fact) => typeof fact === 'string' || typeof fact === 'number');
}

function misplaced(lines: readonly Line[]): Fault[] {
  const faults: Fault[] = [];
  let highest = 0;
  for (const { number, what } of lines) {
    if (number === highest)
      faults.push(fault('timeline line added', `Line ${number} ("${quoted(what)}") is there twice.`));
    if (number < highest)
      faults.push(fault('timeline line moved', `Line ${number} ("${quoted(what)}") stands behind line ${highest}.`));
    highest = Math.max(highest, number);
  }
  return faults;
}

/** The lines that are not there. Somebody may write any count into a manifest, so a gap is one fault. */
function missing(numbers: readonly number[], count: number): Fault[] {
  const faults: Fault[] = [];
  let before = 0;
  for (const number of [...numbers.filter((one) => one <= count).sort((one, other) => one - other), count + 1]) {
    const [from, to] = [before + 1, number - 1];
    if (from === to) faults.push(fault('timeline line removed', `Line ${from} is missing.`));
    if (from < to) faults.push(fault('timeline line removed', `Lines ${from} to ${to} are missing.`));
    before = number;
  }
  return faults;
}

/** A line can be checked if the line before it is there. */
function changed(byNumber: ReadonlyMap<number, Line>, start: string): Fault[] {
  return [...byNumber.values()].flatMap(({ chain, ...content }) => {
    const before = content.number === 1 ? start : byNumber.get(content.number - 1)?.chain;
    if (before === undefined || nextHash(before, content) === chain) return [];
    const message = `Line ${content.number} ("${quoted(content.what)}"), or the hash before it, is not as it was written.`;
    return [fault('timeline line changed', message)];
  });
}

/** What a line says, whoever wrote it. */
function quoted(text: string): string {
  return bounded(text, 200);
}

function fault(name: Fault['fault'], message: string): Fault {
  return { file: TIMELINE, fault: name, message };
}
