import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { inject } from 'vitest';
import featureFlags from '../../infra/feature-flags.json' with { type: 'json' };
import { OrderStack } from '../../infra/order/stack.ts';
import { EMBEDDED_CONTEXT } from '../../infra/stage-folder.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';

export function embeddedApp(): App {
  const outdir = mkdtempSync(join(inject('temporaryDirectory'), 'stage-'));
  const context = { ...featureFlags, [EMBEDDED_CONTEXT]: 'true' };
  return new App({ outdir, context, builtinCloudFormationValidation: false });
}

export function otherStage(change: (stage: Stage) => Partial<Stage>): string {
  const app = embeddedApp();
  const stage = stageSettings('local');
  new OrderStack(app, 'LoanOrders-local', { stage: { ...stage, ...change(stage) } });
  return app.synth().directory;
}
