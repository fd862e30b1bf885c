import { App } from 'aws-cdk-lib';
import { OrderStack } from './order-stack.ts';
import { stageSettings } from './stages.ts';
import { checkWithNag } from './nag.ts';
const app = new App({ outdir: '/tmp/nagtry/out', analyticsReporting: false });
new OrderStack(app, 'LoanOrders-prod', { stage: stageSettings('prod') });
checkWithNag(app);
app.synth();
