import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { RecordTable } from '../../core/aws/record-table.ts';
import { isPaused } from '../../core/order/stage-pause.ts';
import { creationsHeld, creationsLine, pauseInForce, pauseLine } from '../pause.ts';
import { isAccessDenied } from './failure.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import { stackOutputs } from './stack-outputs.ts';

/**
 * Prints a line if the stage is paused, if creations wait, or if the credentials may not read whether it is. Never fails: any other problem with the stage
 * is reported by the command itself.
 */
export async function tellPause(
  options: PlaceOptions & { json?: true },
  streams: { err(text: string): void },
): Promise<void> {
  const { stage, json } = options;
  const outputs = await stackOutputs(options).catch(() => undefined);
  if (!outputs) return;
  try {
    const table = new RecordTable(new DynamoDBClient(clientSettings(options)), outputs('OrderTable'));
    const creations = await creationsHeld(table);
    if (creations) streams.err(`${json ? JSON.stringify({ creationsWait: creations }) : creationsLine(creations)}\n`);
    const pause = await pauseInForce(table, outputs);
    if (!isPaused(pause)) return;
    const { since, by, reason } = pause;
    streams.err(
      json ? `${JSON.stringify({ paused: { stage, since, by, reason } })}\n` : `${pauseLine(stage, pause)}\n`,
    );
  } catch (error) {
    if (!isAccessDenied(error as Error)) return;
    const unknown = `It is unknown whether stage ${stage} is paused: its table could not be read (${(error as Error).name}).`;
    streams.err(json ? `${JSON.stringify({ warning: unknown })}\n` : `${unknown}\n`);
  }
}
