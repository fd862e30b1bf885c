import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';

/**
 * Checks every resource against the AWS Solutions rules of cdk-nag. A finding fails the synth by its name, unless the construct that it
 * concerns acknowledges it with a reason.
 */
export function checkWithNag(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
