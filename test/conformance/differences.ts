import type { Case } from './case.ts';

type Difference = Pick<Case, 'differs'>;

/** moto 5.2.1 answers this, for this reason. What `got` holds is written as the report prints it. */
export const moto = (got: string, why: string): Difference => ({ differs: { moto: { got, why } } });

/** The embedded AWS answers this. It refuses what it does not do, by a name that AWS does not use for it. */
export const embedded = (got: string, why: string): Difference => ({ differs: { embedded: { got, why } } });

/** Differences that several cases share. In all of them, AWS's document is clear, so moto is wrong. */
export const unchecked = moto('accepted', 'moto does not check it.');
export const breaks = moto('HTTP 500', 'moto fails on it.');
const misrouted = moto(
  'HTTP 500',
  'moto takes the service from the scope of the signature, and does not find the operation there.',
);
export const notRun = (got: string) =>
  moto(got, 'moto runs no executions by default, and its interpreter starts a state machine once only.');
export const unjudged = moto(
  'accepted',
  'moto judges no rights unless it is told to, and then neither resources nor conditions.',
);

/** A request whose signature is for another service. */
export const misdirected = {
  signedFor: 'sts',
  source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/signature-v4-troubleshooting.html',
  ...misrouted,
};
