import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { CLIENT_SECRET, formsOf, shownIn } from '../../helpers/echoes.ts';
import {
  accepting,
  confirming,
  creating,
  downloading,
  inject,
  type Matches,
  reading,
  type ServiceFault,
  signing,
  uploading,
} from '../../helpers/faults.ts';
import { MAIN_PATH, openWorld } from '../../helpers/open-world.ts';
import { everythingOf } from '../../helpers/stored-bytes.ts';
import { listenToEvents } from '../../helpers/told-events.ts';

const world = await openWorld({ settings: MAIN_PATH });
const askingForToken: Matches = ({ route }) => route === '/oauth2/token';
const PAGES: [Matches, status: number][] = [
  ...[200, 302, 500].map((status): [Matches, number] => [askingForToken, status]),
  [creating, 400],
  [reading, 404],
  [uploading, 500],
  [accepting, 503],
  [downloading, 200],
  [signing, 200],
  [confirming, 401],
];

const secrets = new Set([CLIENT_SECRET]);
let shown = 0;

/** Answers with a page that shows the token and the client secret, as debug pages do. */
const echo =
  (status: number): ServiceFault =>
  async (_call, { headers: { authorization = '' } }, reply) => {
    if (authorization.startsWith('Bearer ')) secrets.add(authorization.slice('Bearer '.length));
    const echoed = encodeURIComponent(authorization + CLIENT_SECRET);
    const headers = {
      'x-request-id': echoed,
      location: echoed,
      'content-disposition': `attachment; filename=${echoed}`,
    };
    const page = `A page of ${authorization} ${formsOf(CLIENT_SECRET).join('\n')}`;
    await reply
      .code(status)
      .headers({ ...headers, 'content-type': 'text/html' })
      .send(page);
    shown += 1;
  };

test('nothing that is written shows a token or client secret that any call was answered with', async () => {
  const events = listenToEvents(world);
  const { clientId } = world.simulator.settings;
  world.simulator.settings.clientSecret = CLIENT_SECRET;
  await world.putCredentials({ client_id: clientId, client_secret: CLIENT_SECRET });
  for (const [at, [matches, status]] of PAGES.entries()) {
    if (matches === askingForToken) world.simulator.revokeAllTokens();
    inject(world.simulator, 'before', matches, echo(status));
    await world.submitUntil(`echo-${at}`, () => shown > at);
  }
  const histories = await Promise.all(PAGES.map((_page, at) => world.histories(`echo-${at}`)));
  const stored = await Promise.all(PAGES.map((_page, at) => everythingOf(world, `echo-${at}`)));
  const table = await world.dynamodb.send(new ScanCommand({ TableName: world.outputs.OrderTable }));
  const written = [
    stored.join(),
    ...[histories, table.Items, world.aws.logs(), events].map((all) => JSON.stringify(all)),
  ];
  expect(written.map((all) => shownIn(all, [...secrets]))).toEqual(written.map(() => []));
  const pages = stored.filter((files) => files.includes('"body": "A page of Bearer ***'));
  expect(pages.length).toBeGreaterThan(2);
  expect(stored[0]).toContain('(not kept: text/html');
});
