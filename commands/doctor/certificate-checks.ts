import { X509Certificate } from 'node:crypto';
import { certificateBlocks } from '@business-loan-orders/detached-signatures/certificate-path';
import { CHAIN as EVIDENCE_CHAIN } from '../evidence/signatures.ts';
import { openBuckets } from '../shared/buckets.ts';
import { ignoring, isAccessDenied } from '../shared/failure.ts';
import { plain, time } from '../shared/text.ts';
import { ok, problem, type Verdict } from './finding.ts';
import { outputIn, type StageView, settingsIn } from './stage-view.ts';

const DAY = 86_400_000;
/** The same limit as the alarm `client-certificate`. */
const LEAST_DAYS = 30;
const MOST_CHAIN_BYTES = 100_000;
const SIGNING_CHAIN = 'signing/certificate-chain.pem';

type Bundle = [name: string, pem: string];

/** The certificates in the settings of the stage, and those that people put into intake beside its keys. */
export function hasCertificates(view: StageView): boolean {
  const { packages, hasEvidenceKey, signatures } = view.settings ?? {};
  return packages?.hasKey || hasEvidenceKey || signatures?.hasAuthorities || bundlesOf(view).length > 0;
}

/** Not in the stack's outputs: only a machine with the stage's file knows them. */
function bundlesOf({ file }: StageView): Bundle[] {
  return Object.entries({
    'signing.caBundle': file?.signing.caBundle,
    'signing.timeStampAuthorities': file?.signing.timeStampAuthorities,
    'orderService.caBundle': file?.orderService.caBundle,
  }).filter((bundle): bundle is Bundle => bundle[1] !== undefined);
}

export async function checkCertificates(view: StageView): Promise<Verdict | Verdict[]> {
  const { packages, hasEvidenceKey } = settingsIn(view);
  const keys = [...(packages.hasKey ? [SIGNING_CHAIN] : []), ...(hasEvidenceKey ? [EVIDENCE_CHAIN] : [])];
  const verdicts = certificateVerdicts([...bundlesOf(view), ...(await chainsOf(view, keys))], Date.now());
  if (view.file) return verdicts;
  const message = 'Not checked: this machine has no file of the stage, whose certificates may expire too.';
  return [verdicts, { state: 'not checked' as const, message }].flat();
}

/** Certificates this caller may read. Operators cannot read the intake bucket. */
async function chainsOf(view: StageView, keys: string[]): Promise<Bundle[]> {
  if (keys.length === 0) return [];
  const buckets = await openBuckets(view.options, (name) => outputIn(view, name) ?? '');
  const read = async (key: string): Promise<Bundle[]> => {
    const file = await buckets.intakeFile(key, MOST_CHAIN_BYTES).catch(ignoring(isAccessDenied));
    return file?.text === undefined ? [] : [[key, file.text]];
  };
  return (await Promise.all(keys.map(read))).flat();
}

/** The findings for the dates of certificates. */
export function certificateVerdicts(bundles: Bundle[], now: number): Verdict | Verdict[] {
  const all = bundles.flatMap(([name, pem]) =>
    certificateBlocks(pem).map((block) => ({ name, certificate: new X509Certificate(block) })),
  );
  const ends = all.map(({ name, certificate }) => {
    const { subject, validTo } = certificate;
    return { what: `${plain(subject)} in ${name}`, end: new Date(validTo) };
  });
  const ending = ends.filter(({ end }) => end.getTime() < now + LEAST_DAYS * DAY);
  if (all.length === 0) return ok('The settings have none, and none that may be read is in intake.');
  if (ending.length === 0) return ok(`None of ${all.length} certificates expires in ${LEAST_DAYS} days.`);
  return ending.map(({ what, end }) => {
    const expires = end.getTime() < now ? 'expired' : 'expires';
    return problem(`Certificate ${what} ${expires} at ${time(end.toISOString())}. Put its successor beside it.`);
  });
}
