import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { inject } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { OrderStack } from '../../infra/order/stack.ts';
import { EMBEDDED_CONTEXT } from '../../infra/stage-folder.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { ProjectCopy } from './project-copy.ts';

/**
 * The next release, synthesized from changed sources: a state has another name, a member of the cursor has another name, and a
 * function was removed because another one has taken its place.
 */
export async function nextRelease(): Promise<string> {
  const copy = new ProjectCopy(mkdtempSync(join(inject('temporaryDirectory'), 'project-')));
  const definition = 'statemachine/order.asl.json';
  copy.change(definition, '"In work"', '"Service at work"');
  copy.change(definition, '$.waitSeconds', '$.peopleWaitSeconds');
  for (const file of ['output', 'decide', 'without-read']) {
    copy.change(`core/reading/${file}.ts`, /\bwaitSeconds\b/g, 'peopleWaitSeconds');
  }
  copy.rename('functions/confirm-offer', 'functions/confirm-choice');
  copy.change('infra/order/function-definitions.ts', "'confirm-offer'", "'confirm-choice'");
  copy.change(definition, '{ConfirmOfferArn}', '{ConfirmChoiceArn}');
  return copy.synthesize();
}

/**
 * A release that differs from this one by its name only, as after a change of a setting: the function that claims orders has another
 * environment, and so another version.
 */
export function renamedRelease(release: string, renamed: string): string {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'assembly-'));
  cpSync(inject('assemblyDirectory'), directory, { recursive: true });
  const path = join(directory, 'LoanOrders-local.template.json');
  const version = /(CreateOrderCurrentVersion\w{8})\w{32}/g;
  const template = readFileSync(path, 'utf8').replaceAll(release, renamed);
  writeFileSync(path, template.replaceAll(version, `$1${renamed}${renamed}`));
  return directory;
}

/** The assembly of stage `local` with other settings. */
export function otherStage(change: (stage: Stage) => Partial<Stage>): string {
  const outdir = mkdtempSync(join(inject('temporaryDirectory'), 'stage-'));
  const context = { ...cdk.context, [EMBEDDED_CONTEXT]: 'true' };
  const app = new App({ outdir, context, builtinCloudFormationValidation: false });
  const stage = stageSettings('local');
  new OrderStack(app, 'LoanOrders-local', { stage: { ...stage, ...change(stage) } });
  return app.synth().directory;
}
