import { X509Certificate } from 'node:crypto';
import { checkSignature, type Gate } from '../../signature-gate.ts';
import { content, documentOf } from './cms.ts';
import { trusted } from './hostile-certificates.ts';
import { families, hostileSignatures } from './hostile-signatures.ts';

/** A program: judges hostile signatures of a seed and prints what came of them as JSON. */
const [seed = 31, count = 4000] = process.argv.slice(2).map(Number);

const document = documentOf(content);
const authorities = [new X509Certificate(trusted.certificate)];
const gates: Gate[] = [
  { level: 'check', authorities: [], now: new Date() },
  { level: 'strict', authorities, now: new Date() },
];

export interface Tried {
  found: Record<string, { passed: number; refused: number; slowestMs: number; longestText: number }>;
  grownMb: number;
}

const found: Tried['found'] = {};
let before = 0;
let position = 0;
for await (const { family, bytes } of hostileSignatures(seed, count)) {
  before ||= process.resourceUsage().maxRSS;
  const gate = gates[Math.floor(position / Object.keys(families).length) % gates.length] as Gate;
  position += 1;
  const start = process.cpuUsage();
  const verdict = await checkSignature(bytes, document, gate);
  const { user, system } = process.cpuUsage(start);
  found[family] ??= { passed: 0, refused: 0, slowestMs: 0, longestText: 0 };
  const line = found[family];
  line[verdict.passed ? 'passed' : 'refused'] += 1;
  line.longestText = Math.max(
    line.longestText,
    (verdict.passed ? (verdict.unchecked?.problem ?? '') : verdict.problem).length,
  );
  line.slowestMs = Math.max(line.slowestMs, Math.round((user + system) / 1000));
}
const grownMb = Math.round((process.resourceUsage().maxRSS - before) / 1024);
process.stdout.write(JSON.stringify({ found, grownMb } satisfies Tried));
