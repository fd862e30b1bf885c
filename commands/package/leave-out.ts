import { confirm } from '@clack/prompts';
import { answered, canAsk } from '../questions.ts';
import { plain, Refusal, some } from '../text.ts';
import type { LocalPackage } from './local-package.ts';

const NOTHING = 'Nothing was uploaded.';
const FIX = 'Name them in order.json, or add --without-unnamed.';

/** Asks whether a package goes without the files that `order.json` does not name. */
export async function askToLeaveOut(local: LocalPackage): Promise<void> {
  if (!canAsk()) return refuseToLeaveOut(local);
  const question = confirm({
    message: `${sentence(local)} Submit without them?`,
    initialValue: false,
    output: process.stderr,
  });
  if (!(await answered(question, NOTHING))) throw new Refusal(`${NOTHING} ${FIX}`);
}

/** @throws Refusal always: without a terminal nobody can be asked, and a forgotten document must not look like success. */
export async function refuseToLeaveOut(local: LocalPackage): Promise<never> {
  throw new Refusal(`${sentence(local)} ${NOTHING} ${FIX}`);
}

function sentence({ folder, unnamed }: LocalPackage): string {
  return plain(`${folder} has ${some(unnamed.length, 'file')} that order.json does not name: ${unnamed.join(', ')}.`);
}
