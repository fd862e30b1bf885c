import type { TableDescription } from '@aws-sdk/client-dynamodb';
import type { RecordTable } from '../../core/aws/record-table.ts';
import type { CreationHold } from '../../core/order/creation-hold.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { heldUntil, isPaused, PAUSE_KEY, pauseIn, pauseKeys, type StagePause } from '../../core/order/stage-pause.ts';
import { isAccessDenied } from './failure.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import { adoptedTable, type Outputs, stackOutputs } from './stack-outputs.ts';
import { jsonText, plain, Refusal, time } from './text.ts';

/** The key of the stage's own timeline, which says who paused and resumed it. No order has it. */
export const STAGE = '#stage';

/** The line that every command prints while the stage is paused. */
export function pauseLine(stage: string, { since, by, reason }: StagePause): string {
  return plain(`Stage ${stage} is paused since ${time(since)} by ${by}: ${reason}`);
}

/** The last pause in the table, which may have ended. */
export const stagePause = (table: RecordTable) => table.getItem<StagePause>(PAUSE_KEY);

/** The pause that is in force, by the rule of the functions; undefined if there is none. */
export async function pauseInForce(table: RecordTable, outputs: Outputs): Promise<StagePause | undefined> {
  const adopted = adoptedTable(outputs);
  return pauseIn(await Promise.all(pauseKeys(adopted).map((key) => table.getItem(key))), adopted);
}

/** Until when no function requests a token, because the authorization service asked for that; undefined if it did not. */
export async function tokenHeld(table: RecordTable): Promise<string | undefined> {
  const { TOKEN_KEY } = await import('../../core/aws/order-table.ts');
  const { notBefore = 0 } = (await table.getItem<{ notBefore?: number }>(TOKEN_KEY)) ?? {};
  return notBefore > Date.now() ? new Date(notBefore).toISOString() : undefined;
}

/** What holds back the stage's creations; undefined if nothing does. */
export async function creationsHeld(table: RecordTable) {
  const { CREATIONS_KEY, isHolding } = await import('../../core/order/creation-hold.ts');
  const hold = await table.getItem<CreationHold>(CREATIONS_KEY);
  if (!isHolding(hold)) return undefined;
  const { since, cause, nextTry } = hold;
  return { since, cause, nextTry };
}

/** The line that every command prints while creations wait. */
export function creationsLine({ since, cause, nextTry }: Pick<CreationHold, 'since' | 'cause' | 'nextTry'>): string {
  return plain(
    `Since ${time(since)}, the service has answered no creation (the last one: ${cause}). RECEIVED orders wait; the next is tried at ${time(nextTry)}.`,
  );
}

/**
 * Prints a line if the stage is paused, if creations wait, or if the credentials may not read whether it is. Never fails: any other
 * problem with the stage is reported by the command itself.
 */
export async function printPause(
  options: PlaceOptions & { json?: true },
  streams: { err(text: string): void },
): Promise<void> {
  const { stage, json } = options;
  const outputs = await stackOutputs(options).catch(() => undefined);
  if (!outputs) return;
  const tell = (facts: object, line: string) => streams.err(`${json ? jsonText(facts, 0) : line}\n`);
  try {
    const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
    const { RecordTable } = await import('../../core/aws/record-table.ts');
    const table = new RecordTable(new DynamoDBClient(clientSettings(options)), outputs('OrderTable'));
    const creations = await creationsHeld(table);
    if (creations) tell({ creationsWait: creations }, creationsLine(creations));
    const pause = await pauseInForce(table, outputs);
    if (!isPaused(pause)) return;
    const { since, by, reason } = pause;
    tell({ paused: { stage, since, by, reason } }, pauseLine(stage, pause));
  } catch (error) {
    if (!isAccessDenied(error as Error)) return;
    const unknown = `It is unknown whether stage ${stage} is paused: its table could not be read (${(error as Error).name}).`;
    tell({ warning: unknown }, unknown);
  }
}

/** The rows of `show` about the stage's last pause, if it holds the order. */
export function pauseRows(order: OrderItem, pause: StagePause | undefined): string[][] {
  if (isPaused(pause)) return [['Stage', `paused since ${time(pause.since)} by ${pause.by}: ${pause.reason}`]];
  const goesOnAt = goesOnAfterPause(order, pause);
  return goesOnAt ? [['Goes on', `${time(goesOnAt)}: the stage was paused until ${time(pause?.resumedAt)}`]] : [];
}

export function pauseFacts(order: OrderItem, pause: StagePause | undefined) {
  const stagePaused = isPaused(pause) ? { since: pause.since, by: pause.by, reason: pause.reason } : undefined;
  return { stagePaused, goesOnAt: goesOnAfterPause(order, pause) };
}

/** When an order continues that is still held after the stage was resumed. */
function goesOnAfterPause(order: OrderItem, pause: StagePause | undefined): string | undefined {
  return isPaused(pause) || order.waitingFor !== 'service' ? undefined : heldUntil(pause, order);
}

/** What `pause` and `resume` print with `--json`. */
export function answer(stage: string, pause: StagePause | undefined) {
  if (pause === undefined) return { stage, isPaused: false };
  const { since, by, reason, resumedAt, resumedBy, goOnSeconds } = pause;
  return { stage, isPaused: isPaused(pause), since, by, reason, resumedAt, resumedBy, goOnSeconds };
}

export function changed(stage: string): Refusal {
  return new Refusal(
    `Somebody else paused or resumed stage ${stage} at the same time. Look with "loan-orders list", then repeat.`,
  );
}

/** When the table was restored. If it never was, or is in another region or account: a time since which everything changed. */
export function timeToCompare({ TableArn, RestoreSummary }: TableDescription): string {
  const { SourceTableArn, RestoreDateTime } = RestoreSummary ?? {};
  const isHere = SourceTableArn !== undefined && homeOf(SourceTableArn) === homeOf(TableArn);
  return (isHere && RestoreDateTime?.toISOString()) || '1970-01-01T00:00:00Z';
}

const homeOf = (arn = '') => arn.split(':').slice(3, 5).join();
