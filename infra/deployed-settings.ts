import type { PackageSettings } from '../core/package/whole-package.ts';
import manifest from '../package.json' with { type: 'json' };
import { isTopic } from './operation-settings.ts';
import { LAPTOP_STAGE } from './stage-folder.ts';
import type { Stage } from './stages.ts';

/**
 * The settings of a deployed stage that commands need. They are in the output `Settings` of its stack, so commands need no file of the
 * stage. Rules and certificates are too long for an output. Command lines of other releases read it too: add members only.
 */
export interface DeployedSettings {
  /** The release of the stack. It has neither before 1.0.0. */
  version?: string;
  recordFormat?: number;
  sweep: Pick<Stage['sweep'], 'everyMinutes' | 'mostStarts'>;
  /** `pollAfterSeconds.long`. A stack of an earlier release lacks it. */
  longWaitSeconds?: number;
  /** An output is too short for the schema of order data: commands/shared/stack-outputs.ts takes it from the stage's file. */
  packages: Omit<PackageSettings, 'orderSchema'>;
  signatures: Pick<Stage['signing'], 'gate' | 'unchecked' | 'signers' | 'largestSignatureBytes'> & {
    hasAuthorities: boolean;
    hasRevocationLists: boolean;
  };
  /** Stacks of earlier releases lack both. */
  labels?: Stage['labels'];
  offerLabels?: Stage['offerLabels'];
  hasClientCertificate: boolean;
  hasEvidenceKey: boolean;
  hasOwnTopic: boolean;
  holdReleases: boolean;
  callsAtOnce?: number | undefined;
  /** Requirements for a table that the stack did not create. Undefined if it created the table. */
  adoptedTable?: { deletionProtection: boolean };
  /** The buckets that the stack did not create, by purpose. */
  givenBuckets: Stage['buckets'];
}

/**
 * The format of records, cursors and staged files of orders that are not over. A release reads its own, and the ones before and after. Add 1
 * when the release before could not read what this one writes.
 */
export const RECORD_FORMAT = 1;

/** Lambda refuses to reserve the last part of a quota (Lambda API, PutFunctionConcurrency). */
export const LEAST_UNRESERVED = 100;

export function deployedSettings({ name, alarms, sweep, signing, orderService, ...stage }: Stage): DeployedSettings {
  const { gate, unchecked, signers, largestSignatureBytes, caBundle, crl, revocation } = signing;
  const { orderSchema: _long, ...packages } = packageSettings({ signing, ...stage });
  return {
    version: manifest.version,
    recordFormat: RECORD_FORMAT,
    sweep: { everyMinutes: sweep.everyMinutes, mostStarts: sweep.mostStarts },
    longWaitSeconds: stage.pollAfterSeconds.long,
    packages,
    signatures: {
      gate,
      unchecked,
      signers,
      largestSignatureBytes,
      hasAuthorities: caBundle !== undefined,
      hasRevocationLists: crl !== undefined || revocation.from.length > 0,
    },
    labels: stage.labels,
    offerLabels: stage.offerLabels,
    hasClientCertificate: orderService.clientCertificate !== undefined,
    hasEvidenceKey: signing.evidenceKey !== undefined,
    ...(stage.existing.table !== undefined && { adoptedTable: { deletionProtection: stage.keepData } }),
    givenBuckets: stage.buckets,
    holdReleases: stage.holdReleases,
    callsAtOnce: stage.callsAtOnce,
    hasOwnTopic: !isTopic(alarms.notify) && name !== LAPTOP_STAGE,
  };
}

/** The settings that decide whether a package has problems. */
export function packageSettings(stage: Pick<Stage, 'offers' | 'signing' | 'limits' | 'orderSchema'>): PackageSettings {
  const { offers, signing, limits, orderSchema } = stage;
  return {
    choose: offers.choose,
    hasRule: offers.rule !== undefined,
    signing: signing.mode,
    hasKey: signing.key !== undefined,
    orderSchema: orderSchema === undefined ? undefined : JSON.parse(orderSchema),
    documentBytes: limits.documentBytes,
  };
}
