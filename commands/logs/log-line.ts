import type { ResultField } from '@aws-sdk/client-cloudwatch-logs';
import { plain, time } from '../text.ts';

/** A line of a function or of the state machine. */
export interface LogLine {
  at: string;
  /** A function's name without that of the stage, or `state machine`. */
  source: string;
  level: string;
  message: string;
  /** Other members of the line. */
  [fact: string]: unknown;
}

/** Step Functions writes this member into each line. */
interface ExecutionLine {
  type: string;
  details?: { name?: string; error?: string };
  execution_arn: string;
}

const STATE_MACHINE = 'state machine';
/** Members that every line has, or that only programs need. `--json` shows all. */
const NOT_SHOWN = ['orderRef', 'service', 'timestamp', 'sampling_rate', 'awsRequestId', 'messageId', 'xray_trace_id'];

/** Reads a row of the query of an order. */
export function logLine(row: ResultField[], stage: string): LogLine {
  const valueIn = (name: string) => row.find(({ field }) => field === name)?.value ?? '';
  const at = `${valueIn('@timestamp').replace(' ', 'T')}Z`;
  const group = valueIn('@log').split('/').at(-1) ?? '';
  const written = objectIn(valueIn('@message'));
  if (typeof written.execution_arn === 'string') return executionLine(at, written as unknown as ExecutionLine);
  const { level = '', message = valueIn('@message'), ...facts } = written;
  const source = group.split(`loan-orders-${stage}-`).at(-1) ?? group;
  return { ...facts, at, source, level: String(level), message: String(message) };
}

/** The line as people read it. Its facts follow its message. */
export function shownLine({ at, source, level, message, ...facts }: LogLine): string[] {
  const shown = Object.entries(facts).filter(([name, value]) => !NOT_SHOWN.includes(name) && value !== undefined);
  return [
    time(at),
    level,
    source,
    plain([message, ...shown.map(([name, value]) => `${name} ${factOf(value)}`)].join(', ')),
  ];
}

function executionLine(at: string, { type, details = {}, execution_arn: arn }: ExecutionLine): LogLine {
  const { name, error } = details;
  const level = /(Failed|TimedOut|Aborted)$/.test(type) ? 'ERROR' : 'INFO';
  const message = name === undefined ? type : `${type} "${name}"`;
  return { at, source: STATE_MACHINE, level, message, execution: arn.split(':').at(-1), ...(error && { error }) };
}

/** The stack of an error is for `--json`. */
function factOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { name } = value as { name?: unknown };
  return typeof name === 'string' ? name : JSON.stringify(value);
}

function objectIn(message: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(message);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Lines that our code did not write are shown unchanged.
    return {};
  }
}
