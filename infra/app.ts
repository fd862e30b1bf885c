import { App, type AppProps, Tags } from 'aws-cdk-lib';
import { beginAssembly } from './bundles/own-files.ts';
import { tagsOf } from './company.ts';
import { checkWithNag } from './nag.ts';
import { refuseSharedResources, refuseWrongAddress, warnOfNeighbours } from './neighbours.ts';
import { OrderStack } from './order/stack.ts';
import { addOperator, withSimulator } from './rehearsal/stack.ts';
import { EMBEDDED_CONTEXT } from './stage-folder.ts';
import { mismatch } from './stage-home.ts';
import { namedStage } from './stages.ts';

/** The CDK app of one stage, which its context names. Throws one sentence about a missing or wrong setting. */
export function createApp(props: AppProps = {}): App {
  // This validation doubled the time of a synth. A test does it instead (test/infra/cloudformation.test.ts).
  const app = new App({ builtinCloudFormationValidation: false, ...props });
  beginAssembly(app.outdir);
  const { settings, folder } = namedStage(app);
  // The CDK's command line passes the account of its credentials, if it has any. Without this check, a deployment would try the target
  // account's roles with the wrong credentials. The region is not compared: the CDK deploys to the region of the stack.
  const problem = mismatch(settings, { account: process.env.CDK_DEFAULT_ACCOUNT });
  if (problem !== undefined && app.node.tryGetContext(EMBEDDED_CONTEXT) === undefined) throw new Error(problem);
  refuseWrongAddress(settings, folder);
  refuseSharedResources(settings, folder);
  const stage = withSimulator(app, settings);
  const stack = new OrderStack(app, `LoanOrders-${stage.name}`, {
    stage,
    terminationProtection: stage.keepData,
    description: `Business loan orders, stage ${stage.name}`,
  });
  addOperator(app, stage, stack);
  warnOfNeighbours(stack, stage, folder);
  // cfn-lint rejects tags on a dashboard.
  const untagged = { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] };
  for (const [key, value] of Object.entries(tagsOf(stage))) Tags.of(app).add(key, value, untagged);
  checkWithNag(app);
  return app;
}
