import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Changes a text, and fails if it does not contain what is to be changed. */
function changed(text: string, before: string | RegExp, after: string): string {
  const result = text.replaceAll(before, after);
  if (result === text) throw new Error(`The assembly does not contain ${before}: change the test.`);
  return result;
}

function otherRelease(release: string, renamed: string) {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'assembly-'));
  cpSync(inject('assemblyDirectory'), directory, { recursive: true });
  const change = (file: string, ...changes: [string | RegExp, string][]) => {
    const path = join(directory, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      changes.reduce((part, [before, after]) => changed(part, before, after), text),
    );
    return text;
  };
  const template = 'LoanOrders-local.template.json';
  const text = change(template, [release, renamed]);
  return { directory, change, template, text };
}

/** A release that differs from this one by its name only, as after a change of a setting. */
export const renamedRelease = (release: string, renamed: string): string => otherRelease(release, renamed).directory;

/** The next release renames a state and a member of the cursor, and replaces a function by another. */
export function nextRelease(release: string, renamed: string): string {
  const { directory, change, template, text } = otherRelease(release, renamed);
  change(
    template,
    ['\\"In work\\"', '\\"Service at work\\"'],
    ['$.waitSeconds', '$$.peopleWaitSeconds'],
    ['ConfirmOffer', 'ConfirmChoice'],
    ['confirm-offer', 'confirm-choice'],
  );
  change(join(codeOf(text, 'read-order'), 'index.mjs'), [/\bwaitSeconds\b/g, 'peopleWaitSeconds']);
  return directory;
}

function codeOf(template: string, name: string): string {
  const resources: { Properties?: { FunctionName?: string; Code: { S3Key: string } } }[] = Object.values(
    JSON.parse(template).Resources,
  );
  const found = resources.find(({ Properties }) => Properties?.FunctionName === `loan-orders-local-${name}`);
  return `asset.${found?.Properties?.Code.S3Key.replace(/\.zip$/, '')}`;
}
