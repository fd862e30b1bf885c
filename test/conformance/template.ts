const get = (id: string, attribute: string) => ({ 'Fn::GetAtt': [id, attribute] });
const ref = (id: string) => ({ Ref: id });
const join = (...parts: unknown[]) => ({ 'Fn::Join': ['', parts] });
const thisAccount = { AWS: join('arn:aws:iam::', ref('AWS::AccountId'), ':root') };
const text = (name: string, type = 'S') => ({ AttributeName: name, AttributeType: type });
const service = (name: string) => ({ Service: `${name}.amazonaws.com` });
const policy = (...statements: object[]) => ({ Version: '2012-10-17', Statement: statements });
const role = (principal: object, policies: object) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: policy({ Effect: 'Allow', Principal: principal, Action: 'sts:AssumeRole' }),
    ...policies,
  },
});
const signingKey = (KeySpec: string) => ({
  Type: 'AWS::KMS::Key',
  Properties: {
    KeySpec,
    KeyUsage: 'SIGN_VERIFY',
    PendingWindowInDays: 7,
    KeyPolicy: policy({
      Effect: 'Allow',
      Principal: thisAccount,
      Action: 'kms:*',
      Resource: '*',
    }),
  },
});

/** Waits, asks for a token, fails or succeeds, as its input says. */
const definition = {
  StartAt: 'Choose',
  States: {
    Choose: {
      Type: 'Choice',
      Choices: ['Wait', 'Ask', 'Fail'].map((Next) => ({ Variable: '$.then', StringEquals: Next, Next })),
      Default: 'Succeed',
    },
    Wait: { Type: 'Wait', Seconds: 300, End: true },
    Ask: {
      Type: 'Task',
      Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
      Parameters: { QueueUrl: 'TokenQueue', 'MessageBody.$': '$$.Task.Token' },
      TimeoutSeconds: 300,
      End: true,
    },
    Fail: { Type: 'Fail', Error: 'Asked', Cause: 'The input asks for a failure.' },
    Succeed: { Type: 'Succeed' },
  },
};

const [before, after] = JSON.stringify(definition).split('TokenQueue');

/** What a caller may do whom the cases of IAM use. */
const restrictions = policy(
  {
    Effect: 'Allow',
    Action: ['dynamodb:GetItem', 'dynamodb:Query'],
    Resource: get('Table', 'Arn'),
    Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['mine'] } },
  },
  { Effect: 'Allow', Action: 's3:GetObject', Resource: join(get('Bucket', 'Arn'), '/allowed/*') },
  { Effect: 'Allow', Action: 'sqs:*', Resource: get('Queue', 'Arn') },
  { Effect: 'Deny', Action: 'sqs:SendMessage', Resource: get('Queue', 'Arn') },
);

const resources = {
  Table: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [text('pk'), text('sk'), text('kind'), text('at', 'N')],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byKind',
          KeySchema: [
            { AttributeName: 'kind', KeyType: 'HASH' },
            { AttributeName: 'at', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    },
  },
  Bucket: { Type: 'AWS::S3::Bucket', Properties: { VersioningConfiguration: { Status: 'Enabled' } } },
  Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60 } },
  TokenQueue: { Type: 'AWS::SQS::Queue', Properties: {} },
  EventQueue: { Type: 'AWS::SQS::Queue', Properties: {} },
  EventQueuePolicy: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [ref('EventQueue')],
      PolicyDocument: policy({
        Effect: 'Allow',
        Principal: service('events'),
        Action: 'sqs:SendMessage',
        Resource: get('EventQueue', 'Arn'),
        Condition: { ArnEquals: { 'aws:SourceArn': get('Rule', 'Arn') } },
      }),
    },
  },
  Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: ref('AWS::StackName') } },
  Rule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventBusName: get('Bus', 'Name'),
      EventPattern: { source: ['conformance'], detail: { wanted: [true] } },
      Targets: [{ Id: 'queue', Arn: get('EventQueue', 'Arn') }],
    },
  },
  Machine: {
    Type: 'AWS::StepFunctions::StateMachine',
    Properties: {
      RoleArn: get('MachineRole', 'Arn'),
      DefinitionString: join(before, ref('TokenQueue'), after),
    },
  },
  MachineRole: role(service('states'), {
    Policies: [
      {
        PolicyName: 'send',
        PolicyDocument: policy({ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: get('TokenQueue', 'Arn') }),
      },
    ],
  }),
  Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { SecretString: 'first' } },
  EmptySecret: { Type: 'AWS::SecretsManager::Secret', Properties: {} },
  EcKey: signingKey('ECC_NIST_P256'),
  RsaKey: signingKey('RSA_2048'),
  LogGroup: { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: 1 } },
  Restrictions: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: restrictions } },
  Restricted: role(thisAccount, { ManagedPolicyArns: [ref('Restrictions')] }),
};

/** The values of the cases' scope. */
const outputs = {
  table: ref('Table'),
  bucket: ref('Bucket'),
  queue: ref('Queue'),
  tokenQueue: ref('TokenQueue'),
  eventQueue: ref('EventQueue'),
  bus: ref('AWS::StackName'),
  machine: ref('Machine'),
  secret: ref('Secret'),
  emptySecret: ref('EmptySecret'),
  ecKey: ref('EcKey'),
  rsaKey: ref('RsaKey'),
  logGroup: ref('LogGroup'),
  restrictions: ref('Restrictions'),
  restrictedRole: get('Restricted', 'Arn'),
};

/** Every resource that the cases use, in one CloudFormation stack, so that nothing outside it is touched. */
export const template = {
  Description: 'Resources of the conformance suite. Delete the stack if no suite is running.',
  Resources: resources,
  Outputs: Object.fromEntries(Object.entries(outputs).map(([name, Value]) => [name, { Value }])),
};
