import { LAPTOP_STAGE, REHEARSAL_STAGE, SettingsError } from '../infra/stage-folder.ts';
import { type Stage, stageSettings } from '../infra/stages.ts';

/** @throws SettingsError also if its settings refer to resources that the laptop does not have. */
export function laptopStage(name = LAPTOP_STAGE): Stage {
  if (name === REHEARSAL_STAGE)
    throw new SettingsError('Stage rehearsal has a simulator of its own: "npx loan-orders --local rehearse" runs it.');
  const stage = stageSettings(name);
  const missing = ofAccount(stage);
  if (missing.length === 0) return stage;
  throw new SettingsError(
    `Stage ${name} cannot run on the laptop, which has nothing of your account or network: ${missing.join(', ')}. Try a copy of its ` +
      'file without that.',
  );
}

/** Settings that refer to resources of an account, or need TLS, which the simulator does not have. */
function ofAccount({ network, permissionsBoundary, buckets, existing, signing, orderService }: Stage): string[] {
  const arnIn = (key: Stage['signing']['key']) => (typeof key === 'string' ? key : undefined);
  const named = {
    network,
    permissionsBoundary,
    'buckets.intake': buckets.intake,
    'buckets.staging': buckets.staging,
    'existing.table': existing.table,
    'signing.key': arnIn(signing.key),
    'signing.evidenceKey': arnIn(signing.evidenceKey),
    'orderService.clientCertificate': orderService.clientCertificate,
  };
  return Object.entries(named).flatMap(([setting, value]) => (value === undefined ? [] : setting));
}
