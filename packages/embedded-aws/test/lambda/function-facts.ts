import type { FunctionFacts } from '../../lambda/protocol.ts';

/** A function with this source, which exports `run`. `timeout` in seconds. */
export const factsOf = (source: string, timeout: number): FunctionFacts => ({
  functionName: 'f',
  functionArn: 'arn',
  version: '$LATEST',
  memorySize: 128,
  timeout,
  moduleUrl: `data:text/javascript,${encodeURIComponent(source)}`,
  handlerName: 'run',
});
