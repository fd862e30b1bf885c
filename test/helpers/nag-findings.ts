import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, CfnResource, Stack, Validations } from 'aws-cdk-lib';
import { NagPack } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { inject, onTestFinished, vi } from 'vitest';
import featureFlags from '../../infra/feature-flags.json' with { type: 'json' };
import { checkWithNag } from '../../infra/nag.ts';
import { withoutTraces } from './template.ts';

export function appFor(context: Record<string, unknown> = {}): App {
  const outdir = mkdtempSync(join(inject('temporaryDirectory'), 'nag-'));
  return new App({ outdir, analyticsReporting: false, builtinCloudFormationValidation: false, context });
}

export function failuresOf(app: App): string[] {
  checkWithNag(app);
  try {
    app.synth();
    return [];
  } catch (error) {
    const { message } = error as Error;
    return [...new Set(message.match(/(?<=')(?:AwsSolutions|NIST\.800\.53\.R5)::[^']*/g) ?? [message])].sort();
  }
}

interface Checked {
  failures: string[];
  /** Everything that both packs find, acknowledged or not: the finding's name and the path of the resource. */
  found: { finding: string; path: string }[];
  needless: Acknowledgement[];
  /** Acknowledgements that are not on one resource or role. */
  wide: Acknowledgement[];
}

export function checkedApp(addStack: (app: App) => void): Checked {
  const { validateScope } = NagPack.prototype;
  const found: Checked['found'] = [];
  // Noted at once, because the CDK takes what is acknowledged out of the report.
  const look = vi.spyOn(NagPack.prototype, 'validateScope').mockImplementation(function (this: NagPack, scope) {
    const report = validateScope.call(this, scope);
    for (const { ruleName, violatingResources } of report.violations)
      found.push(...violatingResources.map(({ constructPath = '' }) => ({ finding: ruleName, path: constructPath })));
    return report;
  });
  onTestFinished(() => look.mockRestore());
  const app = appFor({ ...featureFlags, 'aws:cdk:bundling-stacks': [] });
  const failures = withoutTraces(() => {
    addStack(app);
    return failuresOf(app);
  });
  const accepted = acknowledgements(app);
  const needless = accepted.filter(
    ({ path, id }) =>
      !found.some((one) => id.endsWith(`::${one.finding}`) && (one.path === path || one.path.startsWith(`${path}/`))),
  );
  const places = new Map(app.node.findAll().map((construct) => [construct.node.path, construct]));
  const resourcesBelow = (construct: IConstruct) => construct.node.findAll().filter(CfnResource.isCfnResource).length;
  const wide = accepted.filter(({ path }) => {
    const construct = places.get(path);
    return construct === undefined || Stack.isStack(construct) || resourcesBelow(construct) > 3;
  });
  return { failures, found, needless, wide };
}

interface Acknowledgement {
  id: string;
  path: string;
}

function acknowledgements(app: App): Acknowledgement[] {
  return app.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.keys(data as object).map((id) => ({ id, path: node.path }))),
    );
}
