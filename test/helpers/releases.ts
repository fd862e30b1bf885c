import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { rootInputs } from '../../laptop/assembly.ts';
import { projectRoot, synthesize } from '../../laptop/synthesize.ts';

/** A copy of the project whose sources a test changes. */
export class ProjectCopy {
  readonly #root = `${mkdtempSync(join(inject('temporaryDirectory'), 'project-'))}/`;

  constructor() {
    for (const name of rootInputs(projectRoot))
      cpSync(`${projectRoot}${name}`, `${this.#root}${name}`, { recursive: true });
    // Not one link for the whole folder: the caches in it belong to the project, not to its copies.
    mkdirSync(`${this.#root}node_modules`);
    for (const name of readdirSync(`${projectRoot}node_modules`)) {
      if (name !== '.cache') symlinkSync(`${projectRoot}node_modules/${name}`, `${this.#root}node_modules/${name}`);
    }
  }

  /** Replaces every occurrence of a text in a file. Throws if there is none. */
  change(file: string, before: string | RegExp, after: string): void {
    const text = readFileSync(this.#root + file, 'utf8');
    const changed = text.replaceAll(before, () => after);
    if (changed === text) throw new Error(`${file} does not contain ${before}: change the test.`);
    writeFileSync(this.#root + file, changed);
  }

  rename(before: string, after: string): void {
    renameSync(this.#root + before, this.#root + after);
  }

  /** Synthesizes the copy. Returns the folder of the assembly. */
  async synthesize(): Promise<string> {
    const directory = `${this.#root}assembly`;
    await synthesize('local', directory, { root: this.#root });
    return directory;
  }
}

/**
 * The next release, synthesized from changed sources: a state has another name, a member of the cursor has another name, and a
 * function was removed because another one has taken its place.
 */
export async function nextRelease(): Promise<string> {
  const copy = new ProjectCopy();
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
