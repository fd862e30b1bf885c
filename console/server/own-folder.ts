import { lstatSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../commands/shared/laptops.ts';

/**
 * All users of a machine may share its temporary folder, and so may containers with separate process IDs. So the name contains the user ID
 * and the PID namespace, followed by the process ID.
 */
const PREFIX = `loan-orders-console-${process.getuid?.() ?? 'own'}-${processSpace()}-`;

/** The folder of a running console for its local files. Only its user can read it. */
export class OwnFolder {
  readonly #parent: string;
  #path: Promise<string> | undefined;

  constructor(parent = tmpdir()) {
    this.#parent = parent;
  }

  async make(name: string): Promise<string> {
    this.#path ??= mkdtemp(join(this.#parent, `${PREFIX}${process.pid}-`));
    const path = join(await this.#path, name);
    await mkdir(path, { mode: 0o700 });
    return path;
  }

  async remove(): Promise<void> {
    const path = await this.#path?.catch(() => undefined);
    if (path !== undefined) await rm(path, { recursive: true, force: true });
  }

  /** Removes files of this user's consoles that were killed. Failures are ignored, because this console does not need the space. */
  async removeLeft(): Promise<void> {
    const names = await readdir(this.#parent).catch(() => []);
    const left = names.filter((name) => isGone(name) && isOwn(join(this.#parent, name)));
    await Promise.allSettled(left.map((name) => rm(join(this.#parent, name), { recursive: true, force: true })));
  }
}

/** On Linux, the PID namespace of this process. Other systems have only one. */
function processSpace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** Whether the name belongs to a console that has ended. If this user's other process has reused its ID, the folder stays. */
function isGone(name: string): boolean {
  const [, pid] = (name.startsWith(PREFIX) && /^(\d+)-[A-Za-z0-9]{6}$/.exec(name.slice(PREFIX.length))) || [];
  return pid !== undefined && !isAlive(Number(pid));
}

/** Any user may create a link or a folder of this name. */
function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
}
