import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { ProjectCopy } from './project-copy.ts';

/**
 * The next release, synthesized from changed sources: a state has another name, a member of the cursor has another name, and a
 * function was removed because another one has taken its place.
 */
export async function nextRelease(): Promise<string> {
  const copy = new ProjectCopy(mkdtempSync(join(inject('temporaryDirectory'), 'project-')));
  const definition = 'statemachine/order.asl.json';
  copy.change(definition, '"In work"', '"Service at work"');
  copy.change(definition, '$.waitSeconds', '$.peopleWaitSeconds');
  for (const file of ['cursor', 'handler', 'ask-again']) {
    copy.change(`functions/read-order/${file}.ts`, /\bwaitSeconds\b/g, 'peopleWaitSeconds');
  }
  copy.rename('functions/confirm-offer', 'functions/confirm-choice');
  copy.change('infra/order/function-definitions.ts', "'confirm-offer'", "'confirm-choice'");
  copy.change(definition, '{ConfirmOfferArn}', '{ConfirmChoiceArn}');
  return copy.synthesize();
}

/**
 * A release that differs from this one by its name only, as after a change of a setting: a copy of the assembly in which the
 * function that claims orders has another environment, and so another version.
 */
export function renamedRelease(assemblyDirectory: string, release: string, renamed: string): string {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'release-'));
  cpSync(assemblyDirectory, directory, { recursive: true });
  const path = join(directory, 'LoanOrders-local.template.json');
  const text = readFileSync(path, 'utf8').replaceAll(release, renamed);
  writeFileSync(path, text.replaceAll(/(CreateOrderCurrentVersion\w{8})\w{32}/g, `$1${renamed}${renamed}`));
  return directory;
}
