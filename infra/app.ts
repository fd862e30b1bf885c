import { Annotations, App, type AppProps, PERMISSIONS_BOUNDARY_CONTEXT_KEY, Tags } from 'aws-cdk-lib';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { beginAssembly } from './bundles/own-files.ts';
import { tagsOf, UNTAGGED } from './company.ts';
import { regionSchema } from './deployment-settings.ts';
import featureFlags from './feature-flags.json' with { type: 'json' };
import { checkWithNag } from './nag.ts';
import { refuseSharedResources, refuseWrongAddress, warnOfNeighbours } from './neighbours.ts';
import { OrderStack } from './order/stack.ts';
import { addOperator, withSimulator } from './rehearsal/stack.ts';
import { EMBEDDED_CONTEXT } from './stage-folder.ts';
import { mismatch } from './stage-home.ts';
import { givenElsewhere, namedStage } from './stages.ts';

/** The CDK app of one stage, which its context names. Throws one sentence about a missing or wrong setting. */
export function createApp(props: AppProps = {}): App {
  // This validation doubled the time of a synth. A test does it instead (test/infra/cloudformation.test.ts). Analytics name the version of
  // Node: without them, the template is the same for everybody.
  const same = { postCliContext: featureFlags, analyticsReporting: false };
  const app = new App({ builtinCloudFormationValidation: false, ...same, ...props });
  beginAssembly(app.outdir);
  if (typeof app.node.tryGetContext(PERMISSIONS_BOUNDARY_CONTEXT_KEY) === 'string')
    throw new Error('The CDK would ignore a permissions boundary after -c: use the setting permissionsBoundary.');
  const { settings, folder } = namedStage(app);
  // The CDK's command line passes the account of its credentials, if it has any. Without this check, a deployment would try the target
  // account's roles with the wrong credentials. The region is not compared: the CDK deploys to the region of the stack.
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  const [[path = [], elsewhere] = []] = givenElsewhere(settings, { account, region, ...settings });
  const wrongHome = mismatch(settings, { account }) ?? regionProblem(settings.region ?? region);
  const problem = wrongHome ?? (elsewhere && `${path.join('.')} ${elsewhere}.`);
  if (problem !== undefined && app.node.tryGetContext(EMBEDDED_CONTEXT) === undefined) throw new Error(problem);
  refuseWrongAddress(settings, folder);
  refuseSharedResources(settings, folder);
  const stage = withSimulator(app, settings);
  const stack = new OrderStack(app, `LoanOrders-${stage.name}`, { stage });
  addOperator(app, stage, stack);
  warnOfNeighbours(stack, stage, folder);
  warnOfRegion(stack, stage.region);
  for (const [key, value] of Object.entries(tagsOf(stage))) Tags.of(app).add(key, value, UNTAGGED);
  checkWithNag(app);
  return app;
}

/** What is wrong with the region of the credentials, to which the CDK deploys a stage without a region. */
function regionProblem(region: string | undefined): string | undefined {
  const { error } = regionSchema.optional().safeParse(region);
  return error && `AWS_REGION is ${region}, but ${error.issues[0]?.message}.`;
}

/** AWS may have a region that this CDK does not know. */
function warnOfRegion(stack: OrderStack, region: string | undefined): void {
  if (region === undefined || RegionInfo.regions.some(({ name }) => name === region)) return;
  Annotations.of(stack).addWarningV2(
    'loan-orders:region',
    `The region ${region} is not known: check its name in the file of the stage.`,
  );
}
