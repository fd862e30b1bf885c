import { Stack, Token } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type * as z from 'zod';
import { StageHome } from '../constructs/home.ts';
import { ordersStackName } from '../names.ts';
import { checkStageName, SettingsError } from '../stage-folder.ts';
import { checkedStage, type Stage, type stageSchema, stageSettings } from '../stages.ts';
import { addOrders, type OrderResources } from './stack.ts';

/** The settings of a stage, as its file would have them (docs/settings.md), and its name. */
export type StageSettings = z.input<typeof stageSchema> & { name: string };

export interface LoanOrdersProps {
  /** The name of a stage that has a file in `stages/`, or its settings. */
  stage: string | StageSettings;
}

/**
 * The order workflow of one stage inside a stack of yours. Its resources are those of {@link OrderStack}.
 * @throws SettingsError in one sentence for each setting that is missing or wrong.
 */
export class LoanOrders extends StageHome implements OrderResources {
  readonly intakeBucket: OrderResources['intakeBucket'];
  readonly stagingBucket: OrderResources['stagingBucket'];
  readonly stateMachine: OrderResources['stateMachine'];
  readonly eventBus: OrderResources['eventBus'];
  readonly alarmTopic: OrderResources['alarmTopic'];

  constructor(scope: Construct, id: string, { stage: given }: LoanOrdersProps) {
    super(scope, id);
    const stage = typeof given === 'string' ? stageSettings(given) : stageOf(given);
    refuseOtherStack(Stack.of(this), stage);
    const { intakeBucket, stagingBucket, stateMachine, eventBus, alarmTopic } = addOrders(this, stage);
    applyBoundary(this, stage);
    this.intakeBucket = intakeBucket;
    this.stagingBucket = stagingBucket;
    this.stateMachine = stateMachine;
    this.eventBus = eventBus;
    this.alarmTopic = alarmTopic;
  }
}

function stageOf({ name, ...settings }: StageSettings): Stage {
  return checkedStage(checkStageName(name ?? ''), { path: `the settings of ${name}`, settings });
}

/** Commands find a stage by the name of its stack. */
function refuseOtherStack(stack: Stack, stage: Stage): void {
  const known = (value: string) => (Token.isUnresolved(value) ? undefined : value);
  const { CDK_DEFAULT_ACCOUNT, CDK_DEFAULT_REGION } = process.env;
  // Without credentials, the CDK's region is a guess.
  const places = {
    account: known(stack.account) ?? CDK_DEFAULT_ACCOUNT,
    region: known(stack.region) ?? (CDK_DEFAULT_ACCOUNT && CDK_DEFAULT_REGION),
  };
  for (const [what, actual] of Object.entries(places) as ['account' | 'region', string | undefined][])
    if (stage[what] !== undefined && actual !== undefined && actual !== stage[what])
      throw new SettingsError(
        `Stage ${stage.name} belongs to ${what} ${stage[what]}, but its stack to ${actual}: give the stack this env.`,
      );
  if (stack.node.findAll().filter((one) => one instanceof LoanOrders).length > 1)
    throw new SettingsError(`Stage ${stage.name} is the second in its stack: give each a stack of its own.`);
  const stackName = known(stack.stackName);
  if (stackName === undefined)
    throw new SettingsError(`Stage ${stage.name} is in a nested stack, where commands do not find it: nest none.`);
  if (stackName === ordersStackName(stage)) return;
  throw new SettingsError(
    `Stage ${stage.name} is in the stack ${stackName}, but its settings name ${ordersStackName(stage)}: set stackName, by which commands find it.`,
  );
}

function applyBoundary(scope: Construct, { permissionsBoundary: policy }: Stage): void {
  if (policy === undefined) return;
  const from = policy.startsWith('arn:') ? ManagedPolicy.fromManagedPolicyArn : ManagedPolicy.fromManagedPolicyName;
  PermissionsBoundary.of(scope).apply(from(scope, 'PermissionsBoundary', policy));
}
