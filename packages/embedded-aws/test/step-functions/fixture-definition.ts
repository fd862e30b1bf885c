// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are CloudFormation's
const lambda = 'arn:aws:states:::lambda:invoke';

/** A Wait, a Map, a flaky Task, a callback and a Choice that leads to Succeed or Fail. */
export const fixtureDefinition = {
  StartAt: 'Wait a while',
  States: {
    'Wait a while': { Type: 'Wait', SecondsPath: '$.waitSeconds', Next: 'Double all' },
    'Double all': {
      Type: 'Map',
      ItemsPath: '$.numbers',
      ItemSelector: { 'number.$': '$$.Map.Item.Value', 'from.$': '$.name' },
      MaxConcurrency: 1,
      ItemProcessor: {
        StartAt: 'Double',
        States: {
          Double: {
            Type: 'Task',
            Resource: lambda,
            Parameters: { FunctionName: '${DoubleArn}', 'Payload.$': '$' },
            OutputPath: '$.Payload',
            End: true,
          },
        },
      },
      ResultPath: '$.doubled',
      Next: 'Flaky',
      Catch: [{ ErrorEquals: ['NegativeNumber'], ResultPath: '$.error', Next: 'Negative' }],
    },
    Flaky: {
      Type: 'Task',
      Resource: lambda,
      Parameters: { FunctionName: '${FlakyArn}' },
      ResultSelector: { 'calls.$': '$.Payload.calls' },
      ResultPath: '$.flaky',
      Retry: [{ ErrorEquals: ['NotYet'], IntervalSeconds: 3600, MaxAttempts: 5, BackoffRate: 2 }],
      Next: 'Ask',
    },
    Ask: {
      Type: 'Task',
      Resource: `${lambda}.waitForTaskToken`,
      Parameters: { FunctionName: '${AskArn}', Payload: { 'token.$': '$$.Task.Token', 'name.$': '$$.Execution.Name' } },
      TimeoutSeconds: 5_184_000,
      ResultPath: '$.answer',
      Next: 'Answered?',
      Catch: [{ ErrorEquals: ['States.Timeout'], ResultPath: '$.error', Next: 'Too late' }],
    },
    'Answered?': {
      Type: 'Choice',
      Choices: [
        { Variable: '$.answer.reason', IsPresent: false, Next: 'Done' },
        { Variable: '$.answer.agreed', BooleanEquals: false, Next: 'Refused' },
      ],
      Default: 'Done',
    },
    Done: { Type: 'Succeed' },
    Refused: { Type: 'Fail', Error: 'Refused', CausePath: '$.answer.reason' },
    Negative: { Type: 'Fail', ErrorPath: '$.error.Error', CausePath: '$.error.Cause' },
    'Too late': { Type: 'Fail', Error: 'TooLate', Cause: 'Nobody answered.' },
  },
};
