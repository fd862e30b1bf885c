import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../../commands/refusal.ts';

/** Older ones are removed: somebody dropped another package instead. */
const MOST = 4;
const LONGEST_PATH = 300;

/** Packages that were dropped onto the page and are not submitted yet. Each is a folder of this machine that nobody else can read. */
export class Drafts {
  readonly #folders = new Map<string, string>();

  async begin(): Promise<string> {
    const id = randomUUID();
    this.#folders.set(id, await mkdtemp(join(tmpdir(), 'loan-orders-package-')));
    for (const old of [...this.#folders.keys()].slice(0, -MOST)) await this.remove(old);
    return id;
  }

  /** @throws Refusal when the draft is gone. */
  folder(id: string): string {
    const folder = this.#folders.get(id);
    if (folder === undefined)
      throw new Refusal('This package is no longer here: drop it again. Nothing was submitted.');
    return folder;
  }

  /**
   * Writes a file of a package.
   * @throws Refusal when the path leads out of the package.
   */
  async write(id: string, path: string, content: Readable): Promise<void> {
    const segments = path.split('/');
    const isInside = segments.every(
      (segment) => segment !== '' && segment !== '.' && segment !== '..' && !/[\\\0]/.test(segment),
    );
    if (!isInside || path.length > LONGEST_PATH) throw new Refusal(`${path} cannot be a file of a package.`);
    const file = join(this.folder(id), ...segments);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await pipeline(content, createWriteStream(file, { mode: 0o600 }));
  }

  async remove(id: string): Promise<void> {
    const folder = this.#folders.get(id);
    this.#folders.delete(id);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async removeAll(): Promise<void> {
    for (const id of [...this.#folders.keys()]) await this.remove(id);
  }

  /** The files of a package, by path. */
  async files(id: string): Promise<{ path: string; size: number }[]> {
    const folder = this.folder(id);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const files = await Promise.all(
      paths.map(async (path) => ({
        path: path.slice(folder.length + 1).replaceAll('\\', '/'),
        size: (await stat(path)).size,
      })),
    );
    return files.sort((one, other) => one.path.localeCompare(other.path));
  }
}
