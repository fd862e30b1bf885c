import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rootInputs } from '../../laptop/assembly.ts';
import { projectRoot, synthesize } from '../../laptop/synthesize.ts';

/** A copy of the project in an empty folder, whose sources a test changes. */
export class ProjectCopy {
  readonly #root: string;

  constructor(folder: string) {
    this.#root = `${folder}/`;
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

  /** Synthesizes the copy. Returns the folder of the assembly. */
  async synthesize(): Promise<string> {
    const directory = `${this.#root}assembly`;
    await synthesize('local', directory, { root: this.#root });
    return directory;
  }
}
