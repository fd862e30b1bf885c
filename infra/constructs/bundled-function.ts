import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { FILE_MEMORY_MEBIBYTES, MEMORY_MEBIBYTES } from '../memory.ts';
import type { Stage } from '../stages.ts';
import { timeouts } from '../timeouts.ts';
import { bundledCode } from './bundled-code.ts';
import { logGroup } from './log-group.ts';

export interface BundledFunctionProps {
  stage: Stage;
  /** Folder below `functions/`. The names of the function and its log group contain it and the stage. */
  name: string;
  /** Shown in the Lambda console. */
  description: string;
  environment?: Record<string, string>;
  /** Replace `process.env.<name>` in the bundle: for values that are too large for the environment. */
  constants?: Record<string, string>;
  /** Transfers files: needs more time, and more memory for network throughput. */
  files?: boolean;
  /** The most runs at once. Default: what the account has. */
  runsAtOnce?: number | undefined;
  /** For functions that events invoke: the queue for events that failed after all retries. */
  deadLetters?: IQueue;
}

/** Lambda's maximum for an asynchronous event. */
const EVENT_RETRIES = 2;
const EVENT_HOURS = 6;

/** A Lambda function with our defaults: Node 24 on arm64, one minified ESM bundle with its own SDK and source map, its own log group. */
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
      memorySize: files ? FILE_MEMORY_MEBIBYTES : MEMORY_MEBIBYTES,
      timeout: Duration.seconds(files ? timeouts.fileFunctionSeconds : timeouts.functionSeconds),
      ...(props.runsAtOnce !== undefined && { reservedConcurrentExecutions: props.runsAtOnce }),
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        POWERTOOLS_SERVICE_NAME: functionName,
        STAGE: stage.name,
        ...props.environment,
      },
      ...(deadLetters && {
        onFailure: new SqsDestination(deadLetters),
        retryAttempts: EVENT_RETRIES,
        maxEventAge: Duration.hours(EVENT_HOURS),
      }),
      logGroup: logs,
    });
  }
}
