import { OWN_FAULT } from '../../../commands/failure.ts';
import { run } from '../../../commands/program.ts';

/**
 * Runs a `loan-orders` command as an operator does. It may be refused, or fail because AWS fails. An unexpected error in the command
 * itself ends the simulation.
 */
export async function command(endpoint: string, ...words: string[]): Promise<{ code: number; json: unknown }> {
  const printed: string[] = [];
  const said: string[] = [];
  const streams = { out: (text: string) => void printed.push(text), err: (text: string) => void said.push(text) };
  const code = await run(['--endpoint', endpoint, '--json', ...words], streams);
  if (code === OWN_FAULT) throw new Error(`loan-orders ${words.join(' ')}: ${said.join('')}`);
  return { code, json: code === 0 ? JSON.parse(printed.join('')) : undefined };
}
