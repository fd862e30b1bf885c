import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { filesBelow } from '../../commands/shared/local-file.ts';
import { refusal } from '../../commands/shared/refusals.ts';
import { Refusal } from '../../commands/shared/text.ts';
import type { OwnFolder } from './own-folder.ts';

/** Older packages are removed when another one is dropped. */
const MOST = 4;
const LONGEST_PATH = 300;

interface Draft {
  /** Contains the package, and separately the files that are still being written. */
  folder: string;
  isHeld: boolean;
}

export class Drafts {
  readonly #own: OwnFolder;
  readonly #mostBytes: number;
  readonly #drafts = new Map<string, Draft>();

  /** @param mostBytes the limit for one file, to protect the disk. */
  constructor(own: OwnFolder, mostBytes: number) {
    this.#own = own;
    this.#mostBytes = mostBytes;
  }

  async begin(): Promise<string> {
    const id = randomUUID();
    const folder = await this.#own.make(`package-${id}`);
    await Promise.all(['package', 'incoming'].map((name) => mkdir(join(folder, name), { mode: 0o700 })));
    this.#drafts.set(id, { folder, isHeld: false });
    const free = [...this.#drafts].filter(([, { isHeld }]) => !isHeld).map(([known]) => known);
    for (const old of free.slice(0, -MOST)) await this.remove(old);
    return id;
  }

  /** @throws Refusal when the draft is gone. */
  folder(id: string): string {
    return join(this.#draft(id).folder, 'package');
  }

  /** Locks a package while it is submitted. Throws a Refusal when the draft is gone, or is being submitted. */
  hold(id: string): () => void {
    const draft = this.#free(id);
    draft.isHeld = true;
    return () => {
      draft.isHeld = false;
    };
  }

  /** Until the file is complete, the package has the previous one. Throws a Refusal if it cannot be a file of it, or be stored. */
  async write(id: string, path: string, content: Readable): Promise<void> {
    const segments = path.split('/');
    const isInside = segments.every(
      (segment) => segment !== '' && segment !== '.' && segment !== '..' && !/[\\\0]/.test(segment),
    );
    if (!isInside || path.length > LONGEST_PATH) throw new Refusal(`${path} cannot be a file of a package.`);
    const { folder } = this.#free(id);
    const part = join(folder, 'incoming', randomUUID());
    const file = join(folder, 'package', ...segments);
    try {
      await pipeline(content, limited(path, this.#mostBytes), createWriteStream(part, { mode: 0o600, flags: 'wx' }));
      this.#free(id);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await rename(part, file);
    } catch (error) {
      throw refusalOfKeeping(error, path);
    } finally {
      await rm(part, { force: true });
    }
  }

  async remove(id: string): Promise<void> {
    const draft = this.#drafts.get(id);
    this.#drafts.delete(id);
    if (draft) await rm(draft.folder, { recursive: true, force: true });
  }

  async files(id: string): Promise<{ path: string; size: number }[]> {
    const folder = this.folder(id);
    const paths = await filesBelow(folder);
    return Promise.all(paths.map(async (path) => ({ path, size: (await stat(join(folder, path))).size })));
  }

  #draft(id: string): Draft {
    const draft = this.#drafts.get(id);
    if (draft) return draft;
    throw refusal('packageGone');
  }

  #free(id: string): Draft {
    const draft = this.#draft(id);
    if (!draft.isHeld) return draft;
    throw refusal('packageBusy');
  }
}

/** Counts the bytes, because a chunked body has no length in advance. */
function limited(path: string, most: number) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let left = most;
    for await (const chunk of chunks) {
      left -= chunk.length;
      if (left < 0) throw new Refusal(`${path} is larger than any package of this stage may be: it was not kept.`);
      yield chunk;
    }
  };
}

const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];
const NO_NAME = ['ENAMETOOLONG', 'EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'EINVAL', 'EILSEQ'];

/** A failure of the file system in words, without the name of our temporary folder. */
function refusalOfKeeping(error: unknown, path: string): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (error instanceof Refusal || syscall === undefined) return error;
  if (FULL.includes(code))
    return new Refusal(`The disk of the console's machine is full (${code}): ${path} was not kept. Drop it again.`);
  if (NO_NAME.includes(code)) return new Refusal(`${path} cannot be a file of this package (${code}).`);
  return new Refusal(`${path} cannot be kept on the console's machine (${code}). Nothing was submitted.`);
}
