const get = (id: string, attribute: string) => ({ 'Fn::GetAtt': [id, attribute] });
const ref = (id: string) => ({ Ref: id });
const join = (...parts: unknown[]) => ({ 'Fn::Join': ['', parts] });
const thisAccount = { AWS: join('arn:aws:iam::', ref('AWS::AccountId'), ':root') };
const text = (name: string, type = 'S') => ({ AttributeName: name, AttributeType: type });
const keyOf = (...names: string[]) =>
  names.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' }));
const service = (name: string) => ({ Service: `${name}.amazonaws.com` });
const policy = (...statements: object[]) => ({ Version: '2012-10-17', Statement: statements });
const allow = (Action: string | string[], Resource: unknown, more: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});
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
    KeyPolicy: policy(allow('kms:*', '*', { Principal: thisAccount })),
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
  allow(['dynamodb:GetItem', 'dynamodb:Query'], get('Table', 'Arn'), {
    Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['mine'] } },
  }),
  allow('s3:GetObject', join(get('Bucket', 'Arn'), '/allowed/*')),
  allow('sqs:*', get('RestrictedQueue', 'Arn')),
  { Effect: 'Deny', Action: 'sqs:SendMessage', Resource: get('RestrictedQueue', 'Arn') },
);
const boundary = policy(allow(['dynamodb:*', 's3:*', 'sqs:GetQueueAttributes', 'sqs:SendMessage'], '*'));

const resources = {
  Table: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [text('pk'), text('sk'), text('kind'), text('at', 'N')],
      KeySchema: keyOf('pk', 'sk'),
      GlobalSecondaryIndexes: [
        { IndexName: 'byKind', KeySchema: keyOf('kind', 'at'), Projection: { ProjectionType: 'KEYS_ONLY' } },
      ],
    },
  },
  Bucket: { Type: 'AWS::S3::Bucket', Properties: { VersioningConfiguration: { Status: 'Enabled' } } },
  Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60 } },
  TokenQueue: { Type: 'AWS::SQS::Queue', Properties: {} },
  /** Of the cases of IAM alone: moto lets them take messages that others wait for. */
  RestrictedQueue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60 } },
  EventQueue: { Type: 'AWS::SQS::Queue', Properties: {} },
  EventQueuePolicy: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [ref('EventQueue')],
      PolicyDocument: policy(
        allow('sqs:SendMessage', get('EventQueue', 'Arn'), {
          Principal: service('events'),
          Condition: { ArnEquals: { 'aws:SourceArn': get('Rule', 'Arn') } },
        }),
      ),
    },
  },
  Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: ref('AWS::StackName') } },
  Rule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventBusName: get('Bus', 'Name'),
      EventPattern: {
        source: ['conformance'],
        detail: { $or: [{ wanted: ['always'] }, { wanted: [true], count: [{ 'anything-but': [0] }] }] },
      },
      Targets: [{ Id: 'queue', Arn: get('EventQueue', 'Arn') }],
    },
  },
  Machine: {
    Type: 'AWS::StepFunctions::StateMachine',
    Properties: { RoleArn: get('MachineRole', 'Arn'), DefinitionString: join(before, ref('TokenQueue'), after) },
  },
  MachineRole: role(service('states'), {
    Policies: [{ PolicyName: 'send', PolicyDocument: policy(allow('sqs:SendMessage', get('TokenQueue', 'Arn'))) }],
  }),
  Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { SecretString: 'first' } },
  EmptySecret: { Type: 'AWS::SecretsManager::Secret', Properties: {} },
  EcKey: signingKey('ECC_NIST_P256'),
  RsaKey: signingKey('RSA_2048'),
  DataKey: {
    Type: 'AWS::KMS::Key',
    Properties: { PendingWindowInDays: 7, KeyPolicy: policy(allow('kms:*', '*', { Principal: thisAccount })) },
  },
  LogGroup: { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: 1 } },
  Restrictions: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: restrictions } },
  Boundary: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: boundary } },
  Restricted: role(thisAccount, { ManagedPolicyArns: [ref('Restrictions')], PermissionsBoundary: ref('Boundary') }),
};

/** Echoes its event, but at these paths. */
const CODE = `exports.handler = async (event) => {
  if (event.rawPath === '/throw') throw new Error('thrown');
  if (event.rawPath === '/plain') return { said: 'plain' };
  if (event.rawPath !== '/bytes') return { statusCode: 200, body: JSON.stringify(event) };
  const headers = { 'content-type': 'application/pdf' };
  return { statusCode: 201, headers, body: Buffer.from([0, 1, 254, 255]).toString('base64'), isBase64Encoded: true };
};`;
const echo = {
  Type: 'AWS::Lambda::Function',
  Properties: {
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    Role: get('EchoRole', 'Arn'),
    Code: { ZipFile: CODE },
  },
};

/** A function behind an HTTP API. */
const apiResources = {
  EchoRole: role(service('lambda'), {}),
  Echo: echo,
  EchoVersion: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: ref('Echo') } },
  EchoApi: {
    Type: 'AWS::ApiGatewayV2::Api',
    Properties: { Name: ref('AWS::StackName'), ProtocolType: 'HTTP', Target: get('Echo', 'Arn') },
  },
  MayInvoke: {
    Type: 'AWS::Lambda::Permission',
    Properties: { Action: 'lambda:InvokeFunction', FunctionName: ref('Echo'), Principal: 'apigateway.amazonaws.com' },
  },
};

/** Every resource that the cases use but the HTTP API, in one CloudFormation stack, so that nothing outside it is touched. */
export const templateWithoutApi = {
  Description: 'Resources of the conformance suite. Delete the stack if no suite is running.',
  Resources: resources,
  /** The cases' scope: the name or ARN of each resource, with a small first letter. */
  Outputs: {
    ...Object.fromEntries(Object.keys(resources).map((id) => [id[0]?.toLowerCase() + id.slice(1), { Value: ref(id) }])),
    bus: { Value: ref('AWS::StackName') },
    restrictedRole: { Value: get('Restricted', 'Arn') },
  },
};

export const template = {
  ...templateWithoutApi,
  Resources: { ...resources, ...apiResources },
  Outputs: {
    ...templateWithoutApi.Outputs,
    url: { Value: get('EchoApi', 'ApiEndpoint') },
    echo: { Value: ref('Echo') },
  },
};
