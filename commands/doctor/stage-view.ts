import { CloudFormationClient, type Stack } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { RecordTable } from '../../core/aws/record-table.ts';
import { type DeployedSettings, deployedSettings } from '../../infra/deployed-settings.ts';
import { ordersStackName } from '../../infra/names.ts';
import { mismatch, type StageHome } from '../../infra/stage-home.ts';
import type { Stage } from '../../infra/stages.ts';
import type { ListedOrder } from '../shared/order-details.ts';
import { creationsHeld, tokenHeld } from '../shared/pause.ts';
import { clientSettings, type PlaceOptions } from '../shared/place.ts';
import { OrderRecord } from '../shared/record.ts';
import { findStack, homeOf, lookedForThere } from '../shared/stack-outputs.ts';
import { NotChecked } from './finding.ts';
import type { HeldOrder } from './wait-checks.ts';

export type Attempted<Value> = { value: Value } | { error: Error };

/** The input of the checks. One call to CloudFormation shows the state of the credentials, the stack and the clock. */
export interface StageView {
  options: PlaceOptions;
  home: StageHome;
  /** The settings of the stage's file, if this machine has it. */
  file: Stage | undefined;
  /** From the stage's file, or from the stack. Undefined if there is neither. */
  settings: DeployedSettings | undefined;
  stackName: string;
  credentials: Attempted<unknown>;
  region: Attempted<string>;
  /** Undefined without credentials or a region, because AWS was not called. The value is undefined if there is no such stack. */
  stack: Attempted<Stack | undefined> | undefined;
  /** Where the stack is; if it was not found, where we looked for it. */
  actual: { account?: string | undefined; region?: string | undefined };
  /** One sentence if the stage belongs to another account or region. */
  mismatch: string | undefined;
  /** By how many milliseconds this machine's clock is ahead of AWS's. Undefined if AWS did not answer. */
  clockAhead: number | undefined;
  /** The orders that are not over, and the last that ended, read once. */
  orders: () => Promise<ListedOrder[]>;
  /** What holds back the stage's creations. */
  creations: () => ReturnType<typeof creationsHeld>;
  /** The waits that hold orders, and that for a token. */
  waits: (orders: ListedOrder[]) => Promise<HeldOrder[]>;
}

export async function lookAt(options: PlaceOptions, known?: Stage): Promise<StageView> {
  const home = known ? lookedForThere(known) : await homeOf(options);
  const stackName = ordersStackName(home);
  const client = new CloudFormationClient(clientSettings(options));
  const clock = watchClock(client);
  const credentials = await attempt(() => client.config.credentials());
  const region = await attempt(() => client.config.region());
  const isAsked = 'value' in credentials && 'value' in region;
  const stack = isAsked ? await attempt(() => findStack(client, stackName)) : undefined;
  const actual = placeOf(stack, region);
  let orders: Promise<ListedOrder[]> | undefined;
  const view: StageView = {
    options,
    home,
    file: known,
    settings: known ? deployedSettings(known) : settingsOf(stack),
    stackName,
    credentials,
    region,
    stack,
    actual,
    mismatch: mismatch(home, actual),
    clockAhead: clock.ahead,
    orders: () => (orders ??= recordOf(view).then((record) => record.list())),
    waits: async (orders) => {
      const record = await recordOf(view);
      const until = await tokenHeld(record.table);
      return [
        ...(await record.held(orders)),
        ...(until ? [{ orderRef: 'all orders', until, whose: 'token' as const }] : []),
      ];
    },
    creations: async () => creationsHeld((await recordOf(view)).table),
  };
  return view;
}

export function settingsOf(stack: StageView['stack']): DeployedSettings | undefined {
  const outputs = stack && 'value' in stack ? stack.value?.Outputs : undefined;
  const text = outputs?.find(({ OutputKey }) => OutputKey === 'Settings')?.OutputValue;
  return text === undefined ? undefined : (JSON.parse(text) as DeployedSettings);
}

/** The stack. Throws NotChecked if there is none, or if it is another stage's. */
export function stackOf({ stack, stackName, mismatch: elsewhere }: StageView): Stack {
  if (elsewhere !== undefined) throw new NotChecked('the account or the region is not the one of the stage');
  if (!stack) throw new NotChecked('without credentials and a region, AWS was not asked');
  if ('value' in stack && stack.value) return stack.value;
  throw new NotChecked(`stack ${stackName} could not be read`);
}

/** The known settings. Throws NotChecked if none are known. */
export function settingsIn({ settings }: StageView): DeployedSettings {
  if (settings) return settings;
  throw new NotChecked('this machine has no file of the stage, and no stack says what its settings are');
}

export function outputIn(view: StageView, name: string): string | undefined {
  return stackOf(view).Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
}

/** An output of the stack. Throws NotChecked if it is missing. */
export function output(view: StageView, name: string): string {
  const value = outputIn(view, name);
  if (value) return value;
  throw new NotChecked(`the stack has no output ${name}`);
}

async function attempt<Value>(work: () => Promise<Value>): Promise<Attempted<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error: error as Error };
  }
}

/** Compares the clocks at each response, errors included: AWS refuses calls of a machine whose clock is wrong. */
function watchClock(client: CloudFormationClient): { ahead: number | undefined } {
  const clock: { ahead: number | undefined } = { ahead: undefined };
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers = {} } = result.response as { headers?: Record<string, string> };
      const theirs = Date.parse(headers.date ?? '');
      if (!Number.isNaN(theirs)) clock.ahead = Date.now() - theirs;
      return result;
    },
    // A low priority runs before the SDK turns the response into an error.
    { step: 'deserialize', priority: 'low', name: 'watchClock' },
  );
  return clock;
}

function placeOf(stack: StageView['stack'], region: Attempted<string>): StageView['actual'] {
  const id = stack && 'value' in stack ? stack.value?.StackId : undefined;
  if (id === undefined) return 'value' in region ? { region: region.value } : {};
  const [, , , ofStack, account] = id.split(':');
  return { account, region: ofStack };
}

export async function recordOf(view: StageView): Promise<OrderRecord> {
  const client = new DynamoDBClient(clientSettings(view.options));
  return new OrderRecord(new RecordTable(client, output(view, 'OrderTable')));
}
