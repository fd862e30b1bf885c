import type { FastifyRequest } from 'fastify';
import { RecentLoans } from '../../commands/shared/alike-orders.ts';
import { connect } from '../../commands/shared/connection.ts';
import { commandFailure } from '../../commands/shared/failure.ts';
import {
  inPlace,
  LAPTOP_ENDPOINT,
  optionsOf,
  type PlaceOptions,
  place as placeOf,
} from '../../commands/shared/place.ts';
import { OrdersFeed } from './orders-feed.ts';
import { OwnFolder } from './own-folder.ts';
import { SigningDesk } from './signing-desk.ts';

/** What the routes of the console work with: the stage, with the rights of whoever started the console. */
export type ConsoleContext = Awaited<ReturnType<typeof openConsoleContext>>;

/** A request of the page. The address names an order (and its archive or document), or a package. */
export type Asked = FastifyRequest<{
  Params: { orderRef: string; id: string; fileId: string };
  Querystring: { round?: string; name?: string; handIn?: string; orderRef?: string; orders?: string; after?: string };
}>;

/**
 * @param lookEvery milliseconds between two reads of a page's data.
 * @throws Refusal when the stage is not deployed there.
 */
export async function openConsoleContext(place: PlaceOptions, lookEvery: number) {
  const connection = await connect(place);
  const buckets = await connection.buckets();
  // Several laptops may run, so `--local` alone may mean another one.
  const options = optionsOf(place.local ? { endpoint: place.endpoint ?? LAPTOP_ENDPOINT } : { stage: place.stage });
  // Without the command line's advice to repeat: the console reads again automatically.
  const describe = (failed: unknown) => {
    const { error, code, params } = commandFailure(failed, placeOf(place));
    return { error: inPlace(error, options), code, params };
  };
  const feed = new OrdersFeed({ record: connection.record, options, lookEvery });
  const signing = new SigningDesk({ connection, buckets, feed, lookEvery });
  const loans = new RecentLoans();
  return { place, options, connection, buckets, feed, loans, signing, folder: new OwnFolder(), lookEvery, describe };
}
