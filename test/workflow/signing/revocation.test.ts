import { execFileSync, spawn } from 'node:child_process';
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { TestSigner } from '@business-loan-orders/detached-signatures/certificates';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { commandsIn } from '../../helpers/commands-in.ts';
import { answering, freePort } from '../../helpers/listening.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { filesToSign, putSignature, rejection, signed } from '../../helpers/signatures.ts';
import { openFolder } from '../../helpers/signer-files.ts';
import { DAY } from '../../helpers/world.ts';

const settings = { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 2 };
const world = await openWorld({ settings, ordersGoOn: true });
const { run } = commandsIn(world);
const { path, write } = openFolder();
const openssl = (command: string) => execFileSync('openssl', command.split(' '), { cwd: path(''), stdio: 'pipe' });

const VALID = ['01', '03', '04'].map((serial) => `V\t491231000000Z\t\t${serial}\tunknown\t/CN=${serial}\n`).join('');
write('index', `${VALID}R\t491231000000Z\t261101000000Z\t02\tunknown\t/CN=Revoked\n`);
write('number', '01');
const asked: string[] = [];
const lists: Record<string, Buffer | ((response: ServerResponse) => void)> = {};
const url = await answering(({ url: at = '' }, response) => {
  asked.push(at);
  const list = lists[at];
  if (typeof list === 'function') list(response);
  else response.end(list);
});
write(
  'ca.cnf',
  `[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[signer]
authorityKeyIdentifier = keyid
[responder]
extendedKeyUsage = OCSPSigning
[pointing]
crlDistributionPoints = URI:${url.replace('127.0.0.1', 'localhost')}/private
authorityInfoAccess = OCSP;URI:${url.replace('127.0.0.1', 'localhost')}/private
[literal]
crlDistributionPoints = URI:${url}/private
[ca]
default_ca = lists
[lists]
database = index
crlnumber = number
default_md = sha256
`,
);

const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config ca.cnf';

/** A certificate of the authority, by its serial number: 02 is revoked. */
function signerOf(serial: string, extensions = 'signer'): TestSigner {
  openssl(`req ${NEW_KEY} -subj /CN=Signer -keyout ${serial}.key -new -out signer.csr`);
  openssl(
    `x509 -req -in signer.csr -CA ca.pem -CAkey ca.key -set_serial 0x${serial} -days 8000 -extfile ca.cnf -extensions ${extensions} -out ${serial}.pem`,
  );
  const { raw: certificate } = new X509Certificate(readFileSync(path(`${serial}.pem`)));
  const privateKey = createPrivateKey(readFileSync(path(`${serial}.key`)));
  return { certificate, privateKey, keyType: 'ecdsa' } as TestSigner;
}

function listOf(name: string, from: string, until: string): Buffer {
  openssl(
    `ca -gencrl -config ca.cnf -keyfile ${name}.key -cert ${name}.pem -crl_lastupdate ${from}0101000000Z -crl_nextupdate ${until}0101000000Z -out list.pem`,
  );
  return readFileSync(path('list.pem'));
}

for (const name of ['ca', 'other'])
  openssl(
    `req -x509 ${NEW_KEY} -extensions authority -days 8500 -subj /CN=Authority -keyout ${name}.key -out ${name}.pem`,
  );
const [good, revoked] = [signerOf('01'), signerOf('02')];
const [pointing, literal] = [signerOf('03', 'pointing'), signerOf('04', 'literal')];
lists['/good'] = lists['/kept'] = lists['/private'] = listOf('ca', '26', '49');
lists['/stale'] = listOf('ca', '25', '26');
lists['/early'] = listOf('ca', '48', '49');
lists['/other'] = listOf('other', '26', '49');
lists['/elsewhere'] = (response) => response.writeHead(302, { location: '/good' }).end(lists['/good']);
lists['/slow'] = () => undefined;
lists['/large'] = (response) => {
  response.on('drain', () => response.write(Buffer.alloc(2 ** 20))).write(Buffer.alloc(2 ** 20));
};

function useSources(from: (string | { ocsp: string })[], unknown = 'refuse'): void {
  const all = from.map((at) => (typeof at === 'string' ? at.replace(/^\//, `${url}/`) : at));
  const sources = write('sources', JSON.stringify({ from: all, unknown }));
  world.aws.useFunctionVariables({ SIGNATURE_AUTHORITIES_FILE: path('ca.pem'), REVOCATION_FILE: sources });
}

async function answerTo(signer: TestSigner): Promise<string | undefined> {
  const [fileId = ''] = (await world.documentsToSign('asking')).map((document) => document.fileId);
  await putSignature(world, 'asking', fileId, await signed(world, 'asking', fileId, signer));
  await world.aws.settle();
  return rejection(world, 'asking', fileId);
}

if (world.clock.now() < Date.now() + DAY) world.clock.advanceTo(Date.now() + DAY);

beforeAll(async () => {
  await world.submit('asking');
  await filesToSign(world, 'asking');
});

const NO_LIST = 'no usable revocation list';
test.each<[string, TestSigner, string[], string | undefined]>([
  ['a list that does not name the signer', good, ['/good'], undefined],
  ['a list that names the signer', revoked, ['/good'], 'was revoked at 2026-11-01'],
  ['the second of two lists', revoked, ['/stale', '/good'], 'was revoked at 2026-11-01'],
  ['a list that has expired', good, ['/stale'], 'expired at 2026-01-01'],
  ['a list of a time to come', good, ['/early'], NO_LIST],
  ['a list of another authority with the same name', revoked, ['/other'], NO_LIST],
  ['nothing', good, ['/nothing'], NO_LIST],
  ['a redirect', good, ['/elsewhere'], NO_LIST],
  ['a list without an end', good, ['/large'], NO_LIST],
  ['silence', good, ['/slow'], NO_LIST],
  ['no connection', good, ['http://127.0.0.1:9/list'], NO_LIST],
  ['no list in intake', good, ['intake'], NO_LIST],
])('a signature when the stage gets %s', async (_what, signer, from, problem) => {
  useSources(from);
  expect(await answerTo(signer)).toEqual(problem && expect.stringContaining(problem));
});

/** OpenSSL's own responder, which answers in the name of this certificate until the test ends. Returns its address. */
async function responderOf(by: string, options: string[]): Promise<string> {
  const port = await freePort();
  const how = `ocsp -index index -CA ca.pem -port ${port} -rsigner ${by}.pem -rkey ${by}.key`.split(' ');
  const own = spawn('openssl', [...how, ...options], { cwd: path('') });
  onTestFinished(() => void own.kill());
  await Promise.race([once(own.stdout, 'data'), once(own.stderr, 'data')]);
  return `http://127.0.0.1:${port}/`;
}

const [LONG, stranger] = [['-ndays', '8000'], signerOf('05')];
signerOf('06', 'responder');
test.each<[string, TestSigner, string, string[], string | undefined]>([
  ['good', good, 'ca', LONG, undefined],
  ['revoked', revoked, 'ca', LONG, 'was revoked at 2026-11-01'],
  ['good, signed by a delegate', good, '06', LONG, undefined],
  ['good, signed by a delegate whom a key identifies', good, '06', [...LONG, '-resp_key_id'], undefined],
  ['revoked, signed by a delegate', revoked, '06', LONG, 'was revoked at 2026-11-01'],
  ['good, signed by a signer of documents', good, '03', LONG, NO_LIST],
  ['good, signed by another authority with the same name', good, 'other', LONG, NO_LIST],
  ['good, signed with SHA-1', good, 'ca', [...LONG, '-rmd', 'sha1'], NO_LIST],
  ['good, of yesterday, without saying until when', good, 'ca', [], 'expired at'],
  ['unknown', stranger, 'ca', LONG, NO_LIST],
])('a signature when a responder says %s', async (_what, signer, by, options, problem) => {
  useSources([{ ocsp: await responderOf(by, options) }]);
  expect(await answerTo(signer)).toEqual(problem && expect.stringContaining(problem));
});

test.each([
  ['its name is private', pointing, 'it is private'],
  ['it has no name', literal, 'it has no name'],
])('an address that a certificate names is not called if %s', async (_what, signer, why) => {
  useSources(['lists', 'ocsp']);
  asked.length = 0;
  expect(await answerTo(signer)).toContain(NO_LIST);
  expect(asked).toEqual([]);
  expect(world.aws.logs().some(({ line }) => line.includes(`"why":"${why}"`))).toBe(true);
});

test('an answer is kept for all functions, and asked for again after some minutes', async () => {
  asked.length = 0;
  for (const minutes of [0, 1, 9]) {
    world.clock.advanceTo(world.clock.now() + minutes * 60_000);
    useSources(['/kept']);
    expect(await answerTo(good)).toBeUndefined();
  }
  const item = createHash('sha256').update(`${url}/planted `).digest('hex');
  const planted = { orderRef: '#revocation', item, at: world.clock.now(), bytes: lists['/good'] };
  await world.dynamodb.send(new PutCommand({ TableName: world.outputs.OrderTable, Item: planted }));
  useSources(['/planted']);
  expect(await answerTo(good)).toBeUndefined();
  expect(asked).toEqual(['/kept', '/kept']);
});

test('lists in intake are replaced without a release, and a file there that cannot be read does not pass for a list', async () => {
  useSources(['intake']);
  const answers: (string | undefined)[] = [];
  for (const content of ['no list', lists['/good'], listOf('other', '26', '49')]) {
    await world.upload('signing/revocation-lists.pem', content);
    world.clock.advanceTo(world.clock.now() + 9 * 60_000);
    answers.push(await answerTo(revoked));
  }
  expect(answers).toEqual(['no usable', 'was revoked at', 'no usable'].map((text) => expect.stringContaining(text)));
});

test('while nobody knows, an order may wait, and says so; it goes on when somebody knows', async () => {
  useSources(['/stale'], 'wait');
  for (const { fileId } of await world.documentsToSign('asking'))
    await putSignature(world, 'asking', fileId, await signed(world, 'asking', fileId, good));
  await world.aws.settle();
  const [fileId = ''] = (await world.documentsToSign('asking')).map((document) => document.fileId);
  expect(await rejection(world, 'asking', fileId)).toBeUndefined();
  const note = expect.stringMatching(/expired at .* is checked again later/);
  expect(await world.stagedJson('asking', `signatures-unchecked/${fileId}.json`)).toMatchObject({ fileId, note });
  expect((await run('show', 'asking')).stdout).toContain('A signature is checked again later');
  expect(await world.record('asking')).toMatchObject({ waitingFor: 'signatures' });
  lists['/stale'] = lists['/good'] as Buffer;
  expect(await world.untilEnd('asking', { signing: false })).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await world.staged('asking', `signatures-unchecked/${fileId}.json`)).toBeUndefined();
});
