/**
 * The ARN pattern of the resource type that each action requires. A statement with other resources only never allows the action. From the
 * Service Authorization Reference, "Actions, resources, and condition keys", as of September 2026. Comments name the source of unexpected
 * resource types.
 */
const RESOURCES: readonly [pattern: RegExp, service: string, actions: string][] = [
  // If a request names a stack, CloudFormation requires `stack/<name>/*`, not the stack's id (aws/aws-parallelcluster#754).
  [/:stack\/[^/]+\/\*$/, 'cloudformation', 'DescribeStacks ListStackResources GetTemplate'],
  // CloudWatch requires `alarm:*`, whatever alarms a request names (aws-samples/amazon-cloudwatch-auto-alarms#1).
  [/:alarm:\*$/, 'cloudwatch', 'DescribeAlarms'],
  [/:alarm:./, 'cloudwatch', 'DescribeAlarmHistory'],
  [/:table\/[^/]+$/, 'dynamodb', 'GetItem BatchGetItem PutItem UpdateItem DeleteItem'],
  [/:table\/[^/]+$/, 'dynamodb', 'DescribeTable DescribeContinuousBackups'],
  [/:table\/[^/]+(\/index\/[^/]+)?$/, 'dynamodb', 'Query Scan'],
  [/:event-bus\//, 'events', 'PutEvents'],
  [/:role\//, 'iam', 'GetRole'],
  [/:key\//, 'kms', 'Decrypt Encrypt GenerateDataKey GetPublicKey Sign DescribeKey GenerateDataKeyWithoutPlaintext'],
  [/:key\//, 'kms', 'ReEncryptFrom ReEncryptTo'],
  [/:function:/, 'lambda', 'InvokeFunction ListVersionsByFunction DeleteFunction GetAccountSettings'],
  [/:log-group:/, 'logs', 'StartQuery FilterLogEvents GetLogEvents DescribeLogStreams GetQueryResults'],
  [/:log-group:/, 'logs', 'DescribeLogGroups DescribeQueryDefinitions'],
  [/^arn:[^:]+:s3:::[^/]+$/, 's3', 'ListBucket ListBucketVersions ListBucketMultipartUploads'],
  [/^arn:[^:]+:s3:::[^/]+$/, 's3', 'GetBucketVersioning GetBucketNotification'],
  [/^arn:[^:]+:s3:::[^/]+\/./, 's3', 'GetObject GetObjectVersion PutObject DeleteObject DeleteObjectVersion'],
  [/^arn:[^:]+:s3:::[^/]+\/./, 's3', 'AbortMultipartUpload ListMultipartUploadParts PutObjectAcl'],
  [/:schedule\/[^/]+\//, 'scheduler', 'GetSchedule'],
  [/:secret:/, 'secretsmanager', 'GetSecretValue PutSecretValue DescribeSecret'],
  [/:sns:[^:]*:[^:]*:./, 'sns', 'Publish GetTopicAttributes'],
  [/:sqs:[^:]*:[^:]*:./, 'sqs', 'SendMessage ReceiveMessage DeleteMessage ChangeMessageVisibility GetQueueAttributes'],
  [/:sqs:[^:]*:[^:]*:./, 'sqs', 'GetQueueUrl StartMessageMoveTask ListMessageMoveTasks'],
  // The reference has no resource for SendTaskSuccess. Step Functions asks for the state machine (aws/aws-cdk#8486).
  [/:stateMachine:/, 'states', 'StartExecution DescribeStateMachine ListExecutions ListStateMachines SendTaskSuccess'],
  [
    /:execution:/,
    'states',
    'DescribeExecution DescribeStateMachineForExecution StopExecution RedriveExecution GetExecutionHistory',
  ],
];

const PATTERNS = new Map(
  RESOURCES.flatMap(([pattern, service, actions]) => actions.split(' ').map((name) => [`${service}:${name}`, pattern])),
);

/** Whether the table above contains the action. It has no wildcards, and not all actions of AWS. */
export function hasResourceType(action: string): boolean {
  return PATTERNS.has(action);
}

/** The first action that applies to none of the resources. */
export function actionWithoutResource(actions: readonly string[], resources: readonly string[]): string | undefined {
  if (resources.includes('*')) return undefined;
  return actions.find((action) => {
    const pattern = PATTERNS.get(action);
    return pattern && !resources.some((resource) => pattern.test(resource));
  });
}
