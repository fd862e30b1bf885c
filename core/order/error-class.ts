import { errorNames } from '../errors.ts';

/** Names of ends that are no error of ours. */
const OTHER_ENDS = ['AbortedByOperator', 'ABORTED', 'TIMED_OUT'];
const KNOWN = new Set([...errorNames, ...OTHER_ENDS]);
const OF_AWS = /^(?:States|Lambda|Runtime|Sandbox)(?=\.)/;

/**
 * The class of an error as a dimension of metrics. Whoever stops an execution may write anything as its error, so only known names
 * are used. Errors of AWS count by their family.
 */
export function errorClass(error: string): string {
  return KNOWN.has(error) ? error : (OF_AWS.exec(error)?.[0] ?? 'Other');
}
