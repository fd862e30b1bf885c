import { LAPTOP_STAGE } from './stage-folder.ts';
import type { Stage } from './stages.ts';

type Named = Pick<Stage, 'name' | 'namePrefix'> & Partial<Pick<Stage, 'stackName'>>;

const prefixOf = ({ name, namePrefix }: Named) =>
  namePrefix === undefined || name === LAPTOP_STAGE ? '' : `${namePrefix}-`;

/** The prefix of the names of a stage's resources. */
export const resourcesName = (stage: Named): string => `${prefixOf(stage)}loan-orders-${stage.name}`;

/** CloudFormation names resources without an explicit name, such as roles and buckets, after the stack. */
export const ordersStackName = (stage: Named): string => stage.stackName ?? stackNameOf('LoanOrders', stage);

/** A stack of the stage's own, whatever stack the orders are in. */
export const stackNameOf = (what: string, stage: Named): string => `${prefixOf(stage)}${what}-${stage.name}`;

/** The additional stacks of the stage of rehearsals. */
export const simulatorStackName: typeof ordersStackName = (stage) => stackNameOf('LoanOrdersSimulator', stage);
export const operatorStackName: typeof ordersStackName = (stage) => stackNameOf('LoanOrdersOperator', stage);

/** Converts `create-order` to `CreateOrder`: the construct id. The state machine file refers to it as `CreateOrderArn`. */
export const constructId = (name: string): string =>
  name.replace(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase());
