import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { reportTable } from '../../commands/report.ts';
import { csvLine } from '../../commands/shared/csv.ts';
import { ignoring, isAccessDenied } from '../../commands/shared/failure.ts';
import { monthReport } from '../../commands/shared/month-report.ts';
import { creationsHeld, pauseInForce, tokenHeld } from '../../commands/shared/pause.ts';
import { place as placeOf } from '../../commands/shared/place.ts';
import { findRejected, visible } from '../../commands/shared/rejected-lines.ts';
import type { RejectedLine } from '../../commands/shared/rejected-uploads.ts';
import { orDenied } from '../../commands/shared/service-words.ts';
import { isPaused } from '../../core/order/stage-pause.ts';
import { isOrderRef } from '../../core/package/intake-key.ts';
import type { EndedOrders, RejectedFacts, StageFacts } from '../api.ts';
import type { Asked, ConsoleContext } from './context.ts';
import { attachment } from './headers.ts';

const wantedMonth = z.looseObject({ month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/) });
const MOST_ENDED = 1_000;

export function listRoutes(server: FastifyInstance, desk: ConsoleContext): void {
  const { place, connection, feed } = desk;
  server.get('/api/stage', async (): Promise<StageFacts> => {
    const { table } = connection.record;
    const [pause, creations] = await Promise.all([pauseInForce(table, connection.outputs), creationsHeld(table)]);
    const tokenUntil = await tokenHeld(table).catch(ignoring(isAccessDenied));
    const rejected = await orDenied(async () => (await connection.rejected()).list());
    return {
      stage: place.stage,
      where: placeOf(place),
      local: place.local === true,
      lookEvery: desk.lookEvery,
      options: desk.options.join(' '),
      ...('denied' in rejected ? {} : { rejected: rejected.lines.length + rejected.older }),
      ...(creations && { creations }),
      ...(tokenUntil && { tokenUntil }),
      ...(isPaused(pause) && { pause: { since: pause.since, by: pause.by, reason: pause.reason } }),
    };
  });
  server.get('/api/orders', ({ query }: Asked) => feed.since(Number(query.after ?? 0)));
  server.get('/api/ended', async ({ query }: Asked): Promise<EndedOrders> => {
    const found = await connection.record.ended(wantedMonth.parse(query).month, MOST_ENDED + 1);
    return { rows: found.slice(0, MOST_ENDED).map((order) => feed.row(order)), isCut: found.length > MOST_ENDED };
  });
  const reportOf = (month: string) => monthReport(month, connection.record.ofMonth(month));
  server.get('/api/report', ({ query }: Asked) => reportOf(wantedMonth.parse(query).month));
  server.get('/api/report.csv', async ({ query }: Asked, reply) => {
    const { month } = wantedMonth.parse(query);
    // By its first character, a spreadsheet knows that it is Unicode.
    const text = `\ufeff${reportTable(await reportOf(month))
      .map(csvLine)
      .join('\r\n')}\r\n`;
    return reply
      .headers(attachment(`report-${month}.csv`))
      .type('text/csv; charset=utf-8')
      .send(text);
  });
  server.get('/api/rejected', async (): Promise<RejectedFacts> => {
    const { shown, older } = await findRejected(connection, { sort: 'changed' });
    return { rejected: shown.map(rejectedRow), older };
  });
}

function rejectedRow(line: RejectedLine): RejectedFacts['rejected'][number] {
  const folder = /^orders\/([^/]+)\//.exec(line.key)?.[1] ?? '';
  const texts = (_name: string, value: unknown) => (typeof value === 'string' ? visible(value) : value);
  return { ...JSON.parse(JSON.stringify(line), texts), ...(isOrderRef(folder) && { orderRef: folder }) };
}
