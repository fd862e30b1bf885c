import { readFileSync } from 'node:fs';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { constructId } from '../../infra/constructs/construct-id.ts';
import { logGroup } from '../../infra/constructs/log-group.ts';
import { acknowledgeStateMachine } from '../../infra/nag.ts';
import type { Stage } from '../../infra/stages.ts';
import type { ExchangeFunctions } from './functions.ts';
import { exchangeArn, stateMachineName } from './names.ts';

const definitionFile = new URL('../exchange.asl.json', import.meta.url);

/** The Standard state machine of `bank-exchange/exchange.asl.json`, with the functions' ARNs. */
export class ExchangeWorkflow extends Construct {
  readonly stateMachine: StateMachine;

  constructor(scope: Construct, id: string, { stage, functions }: { stage: Stage; functions: ExchangeFunctions }) {
    super(scope, id);
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('states.amazonaws.com') });
    const invoked = Object.entries(functions.byName).filter(
      ([name]) => !['legacy-intake', 'legacy-record-end'].includes(name),
    );
    const resources = invoked.map(([, target]) => target.functionArn);
    role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources }));
    const self = [exchangeArn(this, stage, 'stateMachine')];
    role.addToPolicy(new PolicyStatement({ actions: ['states:StartExecution'], resources: self }));
    const name = stateMachineName(stage);
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      stateMachineName: name,
      stateMachineType: StateMachineType.STANDARD,
      role,
      definitionBody: DefinitionBody.fromString(JSON.stringify(JSON.parse(readFileSync(definitionFile, 'utf8')))),
      definitionSubstitutions: Object.fromEntries(
        invoked.map(([target, { functionArn }]) => [`${constructId(target)}Arn`, functionArn]),
      ),
      logs: {
        destination: logGroup(this, 'StateMachine', stage, `/aws/vendedlogs/states/${name}`),
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
    });
    acknowledgeStateMachine(this.stateMachine, role);
  }
}
