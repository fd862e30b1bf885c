import { type App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { AccountRootPrincipal, ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { bundleOf } from '../bundles/bundles.ts';
import { SIMULATOR } from '../bundles/simulator.ts';
import { companyProps } from '../company.ts';
import { writtenCode } from '../constructs/bundled-code.ts';
import { logGroup } from '../constructs/kept-data.ts';
import { addOutputs } from '../constructs/outputs.ts';
import { acknowledge, acknowledgeResources } from '../nag.ts';
import { operatorStackName, resourcesName, simulatorStackName } from '../names.ts';
import { REHEARSAL_STAGE } from '../stage-folder.ts';
import type { Stage } from '../stages.ts';

/** Adds the order service's simulator, if this is the stage of rehearsals. Returns the stage, with the simulator as its order service. */
export function withSimulator(app: App, stage: Stage): Stage {
  if (stage.name !== REHEARSAL_STAGE) return stage;
  const { address } = new SimulatorStack(app, `LoanOrdersSimulator-${stage.name}`, stage);
  return { ...stage, orderService: { ...stage.orderService, baseUrl: address, authorizationUrl: address } };
}

/** Adds a role with an operator's rights, if this is the stage of rehearsals. */
export function addOperator(app: App, stage: Stage, orders: Stack): void {
  if (stage.name !== REHEARSAL_STAGE) return;
  const stack = new Stack(app, `LoanOrdersOperator-${stage.name}`, {
    ...companyProps(stage, operatorStackName(stage)),
    description: 'A role with the rights of an operator, for a rehearsal',
  });
  // Policies are referred to by name, as a permission set of IAM Identity Center does.
  const policyOf = (name: string) =>
    ManagedPolicy.fromManagedPolicyName(stack, name, `${resourcesName(stage)}-${name}-${stack.region}`);
  const role = new Role(stack, 'Operator', {
    assumedBy: new AccountRootPrincipal(),
    managedPolicies: [policyOf('operator'), policyOf('operator-stage')],
  });
  stack.addStackDependency(orders);
  addOutputs(stack, { OperatorRole: [role.roleArn, 'The role that tries the rights of operators'] });
}

/** The order service's simulator behind an HTTP API. Its book is a table. */
class SimulatorStack extends Stack {
  /** Without a slash at its end. */
  readonly address: string;

  constructor(app: App, id: string, stage: Stage) {
    super(app, id, {
      ...companyProps(stage, simulatorStackName(stage)),
      description: 'The simulator of the order service, for a rehearsal',
    });
    const table = new Table(this, 'Book', {
      partitionKey: { name: 'kind', type: AttributeType.STRING },
      sortKey: { name: 'item', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    acknowledge(table, 'DDB3', 'It holds invented orders for an hour.');
    acknowledge(table, 'DynamoDBPITREnabled', 'It holds invented orders for an hour.');
    this.address = this.#addApi(this.#addFunction(stage, table));
    addOutputs(this, {
      SimulatorUrl: [this.address, 'The address of the simulator'],
      SimulatorTable: [table.tableName, "The simulator's orders, tokens and credentials"],
    });
    acknowledgeResources(this, stage);
  }

  /** Many companies forbid function URLs without IAM, and IAM needs the header that the bearer token is in. */
  #addApi(simulator: LambdaFunction): string {
    const { functionArn: target, functionName: name } = simulator;
    const api = new CfnApi(this, 'Api', { name, protocolType: 'HTTP', target });
    const sourceArn = this.formatArn({ service: 'execute-api', resource: api.ref, resourceName: '*' });
    simulator.addPermission('Api', { principal: new ServicePrincipal('apigateway.amazonaws.com'), sourceArn });
    return api.attrApiEndpoint;
  }

  #addFunction(stage: Stage, table: Table): LambdaFunction {
    const functionName = `${resourcesName(stage)}-simulator`;
    const logs = logGroup(this, 'Simulator', stage, `/aws/lambda/${functionName}`);
    const role = new Role(this, 'SimulatorRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logs.grantWrite(role);
    role.addToPolicy(
      new PolicyStatement({ actions: ['dynamodb:GetItem', 'dynamodb:PutItem'], resources: [table.tableArn] }),
    );
    return new LambdaFunction(this, 'Simulator', {
      functionName,
      role,
      description: 'Plays the order service',
      code: writtenCode(this, SIMULATOR, () => bundleOf(SIMULATOR)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // A size that no other function has: in the embedded AWS, functions of one size share threads, and others call this one.
      memorySize: 768,
      timeout: Duration.seconds(30),
      environment: { SIMULATOR_TABLE: table.tableName },
      logGroup: logs,
    });
  }
}
