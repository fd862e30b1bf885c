import { fittingKey } from '../aws/object-key.ts';
import type { InWords } from '../messages/english.ts';

/** Only problems of a package have a JSON path. */
export interface RejectionProblem extends InWords {
  path?: string;
}

/**
 * The answer to one version of an upload that was rejected. It is one object in staging, which S3 removes after the stage's
 * `retention.documentsDays`.
 */
export interface RejectedUpload {
  /** A package with problems, or an upload that belongs to no package. */
  kind: 'package' | 'upload';
  /** The key in intake. It may contain any character. */
  key: string;
  versionId: string;
  /** The order of the folder was recorded before. Every other answer in the folder is superseded as soon as the order is recorded. */
  afterStart?: true;
  problems: RejectionProblem[];
}

export const ANSWERS_PREFIX = 'rejected/';

export function answersIn(orderRef: string): string {
  return `${ANSWERS_PREFIX}orders/${orderRef}/`;
}

/** The key of the answer in staging: `rejected/<key>/<version>.json`. */
export function answerKey({ key, versionId }: Pick<RejectedUpload, 'key' | 'versionId'>): string {
  return fittingKey(`${ANSWERS_PREFIX}${encoded(key)}/${encodedName(versionId.toWellFormed())}.json`);
}

/**
 * The key with ASCII letters, digits and `._-` as they are, and everything else percent-encoded, also names that consist of dots, which
 * tools treat as folders. A slash that follows another one, or begins or ends the key, is encoded too. No two keys have the same encoding.
 */
function encoded(key: string): string {
  let made = '';
  for (const [position, name] of key.split('/').entries()) {
    if (position > 0) made += made === '' || made.endsWith('/') ? '%2F' : '/';
    made += encodedName(name);
  }
  return made.replace(/\/$/, '%2F');
}

function encodedName(name: string): string {
  if (/^\.+$/.test(name)) return name.replaceAll('.', '%2E');
  return encodeURIComponent(name).replaceAll(/[!'()*~]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}
