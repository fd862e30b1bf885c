/** Lambda did not run the function: because of a quota, or because it is reconnecting a function that was idle for weeks to its network. */
export const NOT_RUN = [
  'Lambda.TooManyRequestsException',
  'Lambda.ResourceNotReadyException',
  'Lambda.ResourceConflictException',
  'Lambda.EC2ThrottledException',
  'Lambda.EC2UnexpectedException',
  'Lambda.ENILimitReachedException',
  'Lambda.ENINotReadyException',
  'Lambda.SubnetIPAddressLimitReachedException',
];

/** Lambda failed, and the function may have run (Step Functions Developer Guide, "Handle transient Lambda service exceptions"). */
export const MAY_HAVE_RUN = [
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
];

/** The function ended before it was finished; for `Lambda.Unknown`, Lambda gave no reason. The ledger makes another run safe. */
export const ENDED = ['Lambda.Unknown', 'Sandbox.Timedout', 'Runtime.ExitError', 'Runtime.OutOfMemory'];
