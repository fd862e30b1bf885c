import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';
import { timeouts } from '../timeouts.ts';
import { bundledCode } from './bundled-code.ts';
import { logGroup } from './log-group.ts';

export interface BundledFunctionProps {
  stage: Stage;
  /** Folder below `functions/`; the function's name and log group carry it and the stage. */
  name: string;
  /** What it does, for the Lambda console. */
  description: string;
  environment?: Record<string, string>;
  /** Put in the place of `process.env.<name>` when the function is bundled: for what its environment has no room for. */
  constants?: Record<string, string>;
  /** Carries files: more time, and memory enough for network throughput. */
  files?: boolean;
  /** For functions that events invoke: where an event goes that failed after all retries. */
  deadLetters?: IQueue;
}

/** A function of ours: Node 24 on arm64, one minified ESM bundle with its own SDK and source map, its own log group. */
export class BundledFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: BundledFunctionProps) {
    const { stage, name, files = false, deadLetters } = props;
    const functionName = `loan-orders-${stage.name}-${name}`;
    const logs = logGroup(scope, id, stage, `/aws/lambda/${functionName}`);
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logs.grantWrite(role);
    super(scope, id, {
      functionName,
      role,
      description: props.description,
      code: bundledCode(name, props.constants),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: files ? 1024 : 512,
      timeout: Duration.seconds(files ? timeouts.fileFunctionSeconds : timeouts.functionSeconds),
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        POWERTOOLS_SERVICE_NAME: functionName,
        STAGE: stage.name,
        ...props.environment,
      },
      ...(deadLetters && {
        onFailure: new SqsDestination(deadLetters),
        retryAttempts: 2,
        maxEventAge: Duration.hours(6),
      }),
      logGroup: logs,
    });
  }
}
