import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LaptopProcess } from './laptop-process.ts';

/** CPU time per order, by part. Milliseconds. */
export type CpuParts = Record<string, number>;

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: number[];
}

/** A profile of V8's sampling profiler (Chrome DevTools Protocol, `Profiler.Profile`). */
export interface Profile {
  nodes: ProfileNode[];
  samples: number[];
  /** Microseconds per sample. */
  timeDeltas: number[];
}

export const FUNCTIONS = 'functions, in their own threads';
const NODE = "Node's sockets, HTTP and streams";
const REST = 'the rest';

/** The parts of the main thread, with patterns for their files. The first match counts. */
const areas: readonly (readonly [part: string, pattern: RegExp])[] = [
  [
    'DynamoDB',
    /\/packages\/embedded-aws\/dynamodb\/|\/node_modules\/(dynalite|abstract-level|memory-level|level|lazy|lock|big\.js)/,
  ],
  ['S3', /\/packages\/embedded-aws\/(s3)\/|\/node_modules\/fast-xml-/],
  ['Step Functions', /\/packages\/embedded-aws\/step-functions\/|\/node_modules\/(aws-local-stepfunctions|jsonpath)/],
  ['other embedded AWS', /\/packages\/embedded-aws\//],
  [
    'simulator',
    /\/packages\/order-simulator\/|\/node_modules\/(fastify|@fastify|pdfkit|fontkit|jose|avvio|find-my-way|light-my-request)/,
  ],
  [
    "the laptop's people",
    /\/laptop\/[^/]+(\/[^/]+)?\.ts|\/node_modules\/(@aws-sdk|@smithy|@aws-crypto)\/|\/(core|functions)\//,
  ],
  [NODE, /^node:/],
];

export function areaOf(url: string): string | undefined {
  return areas.find(([, pattern]) => pattern.test(url))?.[0];
}

/** Stops the profile of the main thread and divides it into parts. The rest of the process's CPU time belongs to the functions. */
export async function cpuParts(
  laptop: LaptopProcess,
  spent: { all: number; mainThread: number },
  orders: number,
): Promise<CpuParts> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-profile-'));
  try {
    const file = join(directory, 'main-thread.cpuprofile');
    await laptop.ask({ ask: 'stop profile', file });
    const shares = sharesOf(JSON.parse(await readFile(file, 'utf8')) as Profile);
    const parts = Object.entries(shares).map(([part, share]) => [part, (share * spent.mainThread) / orders] as const);
    return Object.fromEntries([[FUNCTIONS, (spent.all - spent.mainThread) / orders], ...parts]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * The share of each part in the thread's busy time. A sample belongs to the part of its file. If the file belongs to no part (a
 * helper library, a built-in function), the sample belongs to the part of its nearest caller that has one.
 */
export function sharesOf({ nodes, samples, timeDeltas }: Profile): Record<string, number> {
  const partOfNode = partsOfNodes(nodes);
  const time = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const part = partOfNode.get(id);
    if (part !== undefined) time.set(part, (time.get(part) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const busy = [...time.values()].reduce((sum, microseconds) => sum + microseconds, 0);
  return Object.fromEntries([...time].map(([part, microseconds]) => [part, microseconds / busy]));
}

/** The part of each node. Idle nodes have none. */
function partsOfNodes(nodes: readonly ProfileNode[]): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const visit = (node: ProfileNode, inherited: string): void => {
    const { functionName, url } = node.callFrame;
    const part = functionName === '(garbage collector)' ? 'garbage collector' : (areaOf(url) ?? inherited);
    if (functionName !== '(idle)') parts.set(node.id, part);
    for (const id of node.children ?? []) visit(byId.get(id) as ProfileNode, part);
  };
  const [root] = nodes;
  if (root) visit(root, REST);
  return parts;
}
