import { once } from 'node:events';
import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LAPTOP_STAGE, REHEARSAL_STAGE } from '../../infra/stage-folder.ts';
import type { StageHome } from '../../infra/stage-home.ts';
import { LAPTOP_ENDPOINT, type PlaceOptions } from './place.ts';
import { Refusal } from './text.ts';

/** The content of the file that a running laptop writes to the temporary folder. */
interface Announcement {
  endpoint: string;
  pid: number;
  /** `--local` ignores rehearsals. */
  stage: string;
  namePrefix?: string;
  /** The address of its simulator's switches. Absent if the laptop uses another order service. */
  switches?: string;
}

/** All users of the machine may share the folder, so the name contains the user ID. On Windows, each user has a folder. */
const PREFIX = `loan-orders-laptop-${process.getuid?.() ?? 'own'}-`;

/** The log file of the functions of the laptop at an address. */
export const logFileOf = (endpoint = LAPTOP_ENDPOINT) => join(tmpdir(), `${PREFIX}${new URL(endpoint).port}.log`);

/** Any user may have written the file, and requests with orders must not leave this machine. */
export const OWN_ADDRESS = /^http:\/\/127\.0\.0\.1:(\d+)$/;

const LONGEST_CONNECT = 1_000;

/**
 * Lets `--local` find this process's laptop. A laptop that can't write the file still runs, and is found with `--endpoint`.
 * @returns A function that removes the file.
 */
export function announceLaptop(
  endpoint: string,
  { name: stage, namePrefix }: Pick<StageHome, 'name' | 'namePrefix'>,
  more: Pick<Announcement, 'switches'> = {},
  folder = tmpdir(),
): () => void {
  const path = join(folder, `${PREFIX}${process.pid}-${new URL(endpoint).port}.json`);
  const prefix = namePrefix !== undefined && { namePrefix };
  const announcement: Announcement = { endpoint, pid: process.pid, stage, ...prefix, ...more };
  try {
    // A file that an earlier process with the same ID left.
    rmSync(path, { force: true });
    writeFileSync(path, JSON.stringify(announcement), { mode: 0o600, flag: 'wx' });
  } catch {
    return () => undefined;
  }
  return () => rmSync(path, { force: true });
}

export type Meant = Partial<Pick<PlaceOptions, 'stage' | 'endpoint'>>;

/**
 * The place for a command with `--local`: the matching laptop or, if there is none, the given address or the default port.
 * @throws Refusal when several laptops match, or none runs the given stage.
 */
export async function laptopPlace(meant: Meant, folder = tmpdir()): Promise<PlaceOptions & { endpoint: string }> {
  const found = await findLaptop(meant, folder);
  if (!found && meant.stage !== undefined && meant.endpoint === undefined) throw await noLaptop(meant, folder);
  const { endpoint = LAPTOP_ENDPOINT, stage = LAPTOP_STAGE } = found ?? meant;
  return { local: true, endpoint, stage, ...(found?.namePrefix !== undefined && { namePrefix: found.namePrefix }) };
}

/** @throws Refusal when there is no such laptop, when several run, or when the laptop has no simulator. */
export async function laptopSwitches(meant: Meant, folder = tmpdir()): Promise<string> {
  const laptop = await findLaptop(meant, folder);
  if (laptop === undefined) {
    throw await noLaptop(meant, folder, ', or name the switches of a simulator that runs alone with --simulator');
  }
  if (laptop.switches !== undefined) return laptop.switches;
  throw new Refusal(
    `The laptop at ${laptop.endpoint} uses another order service (--service), not the simulator: nothing was done. ` +
      'Start a laptop without --service.',
  );
}

async function noLaptop({ stage, endpoint }: Meant, folder: string, otherwise = ''): Promise<Refusal> {
  const running = (await laptopsIn(folder)).map((one) => `${one.endpoint} (${one.stage})`);
  return new Refusal(
    `No laptop is running${stage ? ` with stage ${stage}` : ''}${endpoint ? ` at ${endpoint}` : ''}: nothing was done. ` +
      `${running.length > 0 ? `Others run at ${running.join(', ')}. ` : ''}Start one with "loan-orders ${stage ? `--stage ${stage} ` : ''}local"${otherwise}.`,
  );
}

const laptopsIn = async (folder: string) => (await announced(folder)).filter(({ stage }) => stage !== REHEARSAL_STAGE);

/** The embedded AWS of a rehearsal that was deployed and not removed. */
export async function runningRehearsal(folder = tmpdir()): Promise<{ endpoint: string; pid: number } | undefined> {
  return (await announced(folder)).find(({ stage }) => stage === REHEARSAL_STAGE);
}

/** The matching laptop; of several, the one at the default port. Undefined if there is none. */
async function findLaptop({ stage, endpoint }: Meant, folder: string): Promise<Announcement | undefined> {
  const address = endpoint?.replace(/\/$/, '').replace('//localhost:', '//127.0.0.1:');
  const running = (await laptopsIn(folder)).filter(
    (one) => one.stage === (stage ?? one.stage) && one.endpoint === (address ?? one.endpoint),
  );
  const [first, ...others] = running;
  if (first === undefined || others.length === 0) return first;
  const usual = running.find(({ endpoint }) => endpoint === LAPTOP_ENDPOINT);
  if (usual) return usual;
  const options = running.every(({ stage: other }) => other === first.stage) ? '--endpoint' : '--stage or --endpoint';
  const addresses = running.map((one) => `${one.endpoint} (${one.stage})`);
  throw new Refusal(
    `${running.length} laptops are running, at ${addresses.slice(0, -1).join(', ')} and ${addresses.at(-1)}: nothing was done. ` +
      `Name one of them with ${options}.`,
  );
}

/** The user's running laptops and rehearsals. Removes files of killed ones. */
async function announced(folder: string): Promise<Announcement[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const own = names.filter((name) => name.startsWith(PREFIX) && name.endsWith('.json'));
  const laptops = own.map(async (name) => {
    const path = join(folder, name);
    const found = read(path);
    if (found === undefined) return [];
    if (isAlive(found.pid)) return (await listens(found.endpoint)) ? [found] : [];
    rmSync(path, { force: true });
    return [];
  });
  return (await Promise.all(laptops)).flat().sort((one, other) => one.endpoint.localeCompare(other.endpoint));
}

/** Undefined unless only the user owns and can write the file. */
function read(path: string): Announcement | undefined {
  let file: number | undefined;
  try {
    // Follows no link, and does not wait for the writer of a pipe. Windows has neither flag.
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const { uid, mode } = fstatSync(file);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    if (!isOwn) return undefined;
    const found: Partial<Announcement> = JSON.parse(readFileSync(file, 'utf8'));
    const { endpoint, pid, stage, namePrefix, switches } = found;
    if (typeof pid !== 'number' || typeof stage !== 'string' || !OWN_ADDRESS.test(String(endpoint))) return undefined;
    const prefix = namePrefix !== undefined && { namePrefix };
    const own = OWN_ADDRESS.test(String(switches)) ? { switches: String(switches) } : {};
    return { endpoint: String(endpoint), pid, stage, ...prefix, ...own };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Whether this user has a process of this ID. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Whether something listens at the address. Another process may have the ID of a killed laptop. */
async function listens(endpoint: string): Promise<boolean> {
  const { hostname: host, port } = new URL(endpoint);
  const socket = connect({ host, port: Number(port) });
  const connected = once(socket, 'connect', { signal: AbortSignal.timeout(LONGEST_CONNECT) });
  const answer = await connected.catch(() => undefined);
  socket.destroy();
  return answer !== undefined;
}
