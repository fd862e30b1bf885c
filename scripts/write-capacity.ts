import { readFileSync, writeFileSync } from 'node:fs';
import { run } from '../commands/program.ts';

/** The document whose blocks `loan-orders plan` makes. */
export const CAPACITY = new URL('../docs/capacity.md', import.meta.url);

/** A block that begins with the command line that makes the rest of it. */
const BLOCK = /```text\n\$ npx loan-orders (plan [^\n]*)\n.*?```/gs;

/** Returns the document with each block as its command line prints it today. */
export async function withOutputs(document: string): Promise<string> {
  const commands = [...document.matchAll(BLOCK)].map(([, command = '']) => command);
  const outputs = new Map<string, string>();
  for (const command of commands) outputs.set(command, await outputOf(command));
  return document.replaceAll(
    BLOCK,
    (_block, command: string) => `\`\`\`text\n$ npx loan-orders ${command}\n${outputs.get(command)}\`\`\``,
  );
}

async function outputOf(command: string): Promise<string> {
  let [output, problem] = ['', ''];
  const code = await run(command.split(' '), { out: (text) => (output += text), err: (text) => (problem += text) });
  if (code === 0) return output;
  throw new Error(`loan-orders ${command} failed: ${problem}`);
}

if (import.meta.main) writeFileSync(CAPACITY, await withOutputs(readFileSync(CAPACITY, 'utf8')));
