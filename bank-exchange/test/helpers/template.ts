import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { inject } from 'vitest';
import cdk from '../../../cdk.json' with { type: 'json' };
import { type Stage, type StageName, stageSettings } from '../../../infra/stages.ts';
import { keptTemplate, withoutTraces } from '../../../test/helpers/template.ts';
import { LegacyStack } from '../../infra/stack.ts';

/** The stack of the bank exchange of a stage, without bundled functions. */
export function legacyStack(stage: StageName, change: (stage: Stage) => Stage = (same) => same): LegacyStack {
  const app = new App({
    outdir: mkdtempSync(join(inject('temporaryDirectory'), stage)),
    context: { ...cdk.context, 'aws:cdk:bundling-stacks': [] },
    // test/infra/cloudformation.test.ts validates the template once.
    builtinCloudFormationValidation: false,
  });
  return withoutTraces(
    () => new LegacyStack(app, `LoanOrdersLegacy-${stage}`, { stage: change(stageSettings(stage)) }),
  );
}

/** The template of this stack. Nobody may change it, because tests of other files get the same one. */
export const legacyTemplate = (...settings: Parameters<typeof legacyStack>) =>
  keptTemplate('exchange', legacyStack, settings);
export const legacyTemplateOf = (stage: StageName) => legacyTemplate(stage);
