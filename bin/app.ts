import './compile-cache.ts';
import { createApp } from '../infra/app.ts';

// The CDK app of one stage: `cdk synth -c stage=<test | prod | local>`.
try {
  const app = createApp();
  (await import('../bank-exchange/infra/app.ts')).addExchange(app); // bank-exchange
} catch (error) {
  // A missing or wrong setting is explained in one sentence, without a stack trace.
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
