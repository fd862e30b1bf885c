import type { FastifyRequest } from 'fastify';
import type { Buckets } from '../../commands/shared/buckets.ts';
import { type Connection, connect } from '../../commands/shared/connection.ts';
import { failureOf } from '../../commands/shared/failure.ts';
import {
  inPlace,
  LAPTOP_ENDPOINT,
  optionsOf,
  type PlaceOptions,
  place as placeOf,
} from '../../commands/shared/place.ts';
import { OrdersFeed } from './orders-feed.ts';
import { OwnFolder } from './own-folder.ts';

/** What the routes of the console work with: the stage, with the rights of whoever started the console. */
export interface Desk {
  place: PlaceOptions;
  /** The options of a command for this place. */
  options: string[];
  connection: Connection;
  buckets: Buckets;
  feed: OrdersFeed;
  folder: OwnFolder;
  /** Milliseconds between two looks at what a page shows. */
  lookEvery: number;
  /** A failure in one sentence, as the command line says it. */
  describe(error: unknown): string;
}

/** A request of the page. Its address names an order, and in it an archive or a document, or a package. */
export type Asked = FastifyRequest<{
  Params: { orderRef: string; id: string; fileId: string };
  Querystring: { round?: string; name?: string; handIn?: string; path?: string };
}>;

/** Left out of sentences, because the console reads again by itself. */
const OF_COMMANDS = / Repeating the command is safe: it does nothing twice\./;

/** @throws Refusal when the stage is not deployed there. */
export async function openDesk(place: PlaceOptions, lookEvery: number): Promise<Desk> {
  const connection = await connect(place);
  const buckets = await connection.buckets();
  // Several laptops may run, so `--local` alone may mean another one.
  const options = optionsOf(place.local ? { endpoint: place.endpoint ?? LAPTOP_ENDPOINT } : { stage: place.stage });
  const describe = (error: unknown) =>
    inPlace(failureOf(error, placeOf(place)).sentence.replace(OF_COMMANDS, ''), options);
  const feed = new OrdersFeed({
    record: connection.record,
    describe,
    options,
  });
  return { place, options, connection, buckets, feed, folder: new OwnFolder(), lookEvery, describe };
}
