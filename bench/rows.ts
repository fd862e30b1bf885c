import { LARGEST_BUNDLE } from './bounds.ts';
import type { Measurements } from './measurements.ts';
import { latenessRows, ordersRows, plainRows } from './rows-orders.ts';
import { type Row, row, rowsOfRuns } from './table.ts';

const SECOND = 1_000;
const KILOBYTE = 1e3;
const MEGABYTE = 1e6;

/** The rows of the table, in order. */
export function rowsOf(measured: Measurements): Row[] {
  return [
    row('This machine', 'a fixed loop', 'ms', measured.fixedLoop),
    ...startRows(measured),
    ...importRows(measured),
    ...ordersRows(measured),
    ...plainRows(measured),
    ...latenessRows(measured),
    ...streamRows(measured),
    ...measured.counts.map(({ what, count, bound }) => row('Counts, two-offers', what, 'count', [count], bound)),
  ];
}

function startRows({ laptops, synth }: Measurements): Row[] {
  const seconds = synth.map((time) => time / SECOND);
  return [
    row('Start', 'synth of one stage', 's', seconds),
    ...rowsOfRuns('Start', laptops, [
      ['npm start until the first order shows', 's', ({ firstOrderShown }) => firstOrderShown / SECOND],
      ['npm start at rest, memory', 'MB', ({ idleResidentSet }) => idleResidentSet / MEGABYTE],
    ]),
  ];
}

function importRows({ imports: { bare, bundles } }: Measurements): Row[] {
  const group = 'Import of a bundle, beside one bare DynamoDB client';
  const bound = LARGEST_BUNDLE / KILOBYTE;
  return [
    row(group, 'the bare client', 'ms', bare),
    ...bundles.map(({ name, ratios }) => row(group, name, 'ratio', ratios)),
    ...bundles.map(({ name, bytes }) => row('Size of a bundle', name, 'KB', [Math.ceil(bytes / KILOBYTE)], bound)),
  ];
}

function streamRows({ transfers: { pipe, upload, download } }: Measurements): Row[] {
  const group = 'A large file, beside a bare pipe';
  const ratios = (runs: typeof pipe) => runs.map(({ wall }, run) => wall / (pipe[run]?.wall ?? 0));
  const seconds = pipe.map(({ wall }) => wall / SECOND);
  const memory = { 'the bare pipe': pipe, 'upload-document': upload, 'download-document': download };
  return [
    row(group, 'the bare pipe', 's', seconds),
    row(group, 'upload-document', 'ratio', ratios(upload)),
    row(group, 'download-document, with three digests', 'ratio', ratios(download)),
    ...Object.entries(memory).flatMap(([what, runs]) =>
      rowsOfRuns(group, runs, [[`${what}, memory above idle`, 'MB', (run) => run.memoryAboveIdle / MEGABYTE]]),
    ),
  ];
}
