import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { inject } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { OrderStack } from '../../infra/order/stack.ts';
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

/** A copy of the tests' assembly with another template of the orders' stack. */
export function changedAssembly(change: (template: string) => string): string {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'assembly-'));
  cpSync(inject('assemblyDirectory'), directory, { recursive: true });
  const path = join(directory, 'LoanOrders-local.template.json');
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  return directory;
}

interface FunctionProperties {
  FunctionName?: string;
  Timeout?: number;
  ReservedConcurrentExecutions?: number | undefined;
}

/** The same, in which the properties of each function, given by its short name, are changed. */
export function withFunctions(change: (name: string, properties: FunctionProperties) => void): string {
  return changedAssembly((text) => {
    const template = JSON.parse(text) as { Resources: Record<string, { Properties?: FunctionProperties }> };
    for (const { Properties: properties } of Object.values(template.Resources)) {
      const name = /^loan-orders-local-(.+)$/.exec(properties?.FunctionName ?? '')?.[1];
      if (properties && name) change(name, properties);
    }
    return JSON.stringify(template);
  });
}

/**
 * A release that differs from this one by its name only, as after a change of a setting: the function that claims orders has another
 * environment, and so another version.
 */
export function renamedRelease(release: string, renamed: string): string {
  const version = /(CreateOrderCurrentVersion\w{8})\w{32}/g;
  return changedAssembly((text) => text.replaceAll(release, renamed).replaceAll(version, `$1${renamed}${renamed}`));
}

/** The assembly of stage `local` with other settings. */
export function otherStage(change: (stage: Stage) => Partial<Stage>): string {
  const outdir = mkdtempSync(join(inject('temporaryDirectory'), 'stage-'));
  const app = new App({ outdir, context: cdk.context, builtinCloudFormationValidation: false });
  const stage = stageSettings('local');
  new OrderStack(app, 'LoanOrders-local', { stage: { ...stage, ...change(stage) } });
  return app.synth().directory;
}
