import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeAuthority, makeSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { expect, test } from 'vitest';
import { stageSettings } from '../../infra/stages.ts';
import { CERTIFICATE_ARN, KEY_ARN, ofPartner } from '../helpers/stack-rules.ts';
import { stagesWith } from '../helpers/stage-files.ts';

const { name: _name, ...settings } = stageSettings('test');
type Change = Record<string, unknown>;
const changed = (change: Change) => {
  const groups = Object.entries(change).map(([name, value]) => {
    const before = (settings as Change)[name];
    const isGroup = [before, value].every((one) => typeof one === 'object' && one !== null);
    return [name, isGroup ? { ...(before as object), ...(value as object) } : value];
  });
  return stageSettings('test', stagesWith({ 'test.json': { ...settings, ...Object.fromEntries(groups) } }));
};

test.each(['test', 'prod', 'local'])('the settings of the stage %s are complete', (name) => {
  expect(stageSettings(name)).toMatchObject({ name });
});

test.each([
  ['production', 'Stage production is unknown: stages has no file of it. Stages there: local, prod, rehearsal, test.'],
  [undefined, 'Say which stage: -c stage=<local | prod | rehearsal | test>.'],
  ['Prod', 'Stage "Prod" cannot have this name: '],
  ['..', 'Stage ".." cannot have this name: '],
  ['x'.repeat(21), `Stage "${'x'.repeat(21)}" cannot have this name: `],
  [
    'prod-legacy',
    'Stage prod-legacy cannot have this name: the exchange of another stage has names that end in -legacy.',
  ],
])('the stage %s is refused', (name, sentence) => {
  expect(() => stageSettings(name)).toThrow(sentence);
});

test('what a stage need not have is absent, and data is kept for 90 days and a year', () => {
  for (const setting of ['account', 'region', 'network', 'callsAtOnce']) expect(settings).not.toHaveProperty(setting);
  expect(settings.orderService).not.toHaveProperty('clientCertificate');
  expect(settings.retention).toEqual({ documentsDays: 90, recordDays: 365, legalHold: false });
});

const CRM = 'arn:aws:iam::444455556666:role/crm';
const TOPIC = 'arn:aws:sns:eu-central-1:111122223333:on-call';
const { vpc, subnets, securityGroups } = ofPartner;
const AUTHORITY = toPem(makeAuthority().certificate);
const LIST = join(stagesWith({ 'list.json': [] }), 'list.json');
const README = fileURLToPath(new URL('../../README.md', import.meta.url));
const LEAF = toPem(makeSigner('p-256').certificate);

test.each<Change>([
  { account: '111122223333', region: 'ap-southeast-2' },
  { network: { vpc, subnets } },
  { network: { vpc, subnets, securityGroups } },
  ...['aws-managed', 'stack-key', KEY_ARN].map((encryption) => ({ encryption })),
  ...[true, CERTIFICATE_ARN].map((clientCertificate) => ({ orderService: { clientCertificate } })),
  ...['https://localhosting.ru', 'https://localhost.bank.ru', 'https://127.example.com'].map((baseUrl) => ({
    orderService: { baseUrl },
  })),
  { orderService: { idempotencyHeader: 'Idempotency-Key', idempotent: true } },
  ...['ops@partner.ru', TOPIC].map((notify) => ({ alarms: { notify } })),
])('%j is accepted', (change) => {
  expect(() => changed(change)).not.toThrow();
});

const http = 'must start with https://';
const notPem = 'is neither PEM text nor the path of a file';
const noAuthority = "has a certificate that is not an authority's";
const order = 'must have recordDays >= documentsDays';

const refused: [Change, message: string][] = [
  [{ account: '1111-2222-3333' }, 'account: must be 12 digits'],
  [{ region: 'Frankfurt' }, 'region: must be the name of a region, such as eu-central-1'],
  ...['cn-north-1', 'cn-northwest-1', 'us-gov-west-1', 'us-isob-east-1', 'eu-isoe-west-1', 'eusc-de-east-1'].map(
    (region): [Change, string] => [{ region }, 'region: must be a region of the partition aws'],
  ),
  ...[
    ['encryption', { encryption: KEY_ARN }],
    ['orderService.clientCertificate', { orderService: { clientCertificate: CERTIFICATE_ARN } }],
    ['signing.key', { signing: { key: KEY_ARN } }],
    ['signing.evidenceKey', { signing: { evidenceKey: KEY_ARN } }],
    ['alarms.notify', { alarms: { notify: TOPIC } }],
  ].map(([name, change]): [Change, string] => [
    { region: 'eu-west-1', ...(change as Change) },
    `${name}: must be in the region of the stage, eu-west-1`,
  ]),
  [
    { account: '444455556666', permissionsBoundary: 'arn:aws:iam::111122223333:policy/bounds' },
    'permissionsBoundary: must be in the account of the stage',
  ],
  [{ account: '444455556666', encryption: KEY_ARN }, 'encryption: must be in the account of the stage'],
  [{ encryption: KEY_ARN, alarms: { notify: TOPIC.replace('eu', 'us') } }, 'alarms.notify: must be in the region'],
  [{ encryption: KEY_ARN.replace('aws', 'aws-cn') }, 'encryption: must be aws-managed'],
  [{ orderService: { baseUrl: 'http://orders.bank.ru' } }, `orderService.baseUrl: ${http}`],
  ...['https://localhost:4010', 'https://LOCALHOST', 'https://0.0.0.0', 'https://127.1', 'https://[::1]'].map(
    (baseUrl): [Change, string] => [
      { orderService: { baseUrl } },
      `orderService.baseUrl: ${http}, and be on another machine`,
    ],
  ),
  [{ orderService: { baseUrl: 'https://orders.bank.ru/v1/' } }, 'orderService.baseUrl: must end before /v1'],
  ...['https://me:secret@bank.ru', 'https://bank.ru/?a=1', 'https://bank.ru/#a'].map(
    (authorizationUrl): [Change, string] => [
      { orderService: { authorizationUrl } },
      'orderService.authorizationUrl: must have no user, query or fragment',
    ],
  ),
  ...[false, 'bank/client', CERTIFICATE_ARN.replace('-a1B2c3', '')].map((clientCertificate): [Change, string] => [
    { orderService: { clientCertificate } },
    'orderService.clientCertificate: must be true, or the whole ARN of a secret',
  ]),
  [{ orderService: { caBundle: LEAF } }, `orderService.caBundle: ${noAuthority}: CN=Test signer`],
  [{ orderService: { caBundle: 'none.pem' } }, `orderService.caBundle: ${notPem}`],
  [{ orderService: { contentType: 'application/json\r\nx: y' } }, 'orderService.contentType: must be a content type'],
  [{ orderSchema: 'nowhere.json' }, 'orderSchema: cannot be used as a JSON Schema: it does not exist'],
  [{ orderSchema: LIST }, 'orderSchema: cannot be used as a JSON Schema: it is no JSON object'],
  [{ orderSchema: README }, 'orderSchema: cannot be used as a JSON Schema: it is no JSON object'],
  [{ unusableReadsLimit: 201 }, 'unusableReadsLimit: must be a whole number from 1 to 200'],
  [{ pollAfterSeconds: { minimum: 10, fallback: 7 } }, 'pollAfterSeconds: must have'],
  [{ callsAtOnce: 6 }, 'callsAtOnce:'],
  [{ offers: { confirmedStatus: 'AVAILABLE' } }, 'offers.confirmedStatus: must be a status other than AVAILABLE'],
  [{ readsPerExecution: 7 }, 'readsPerExecution: is not a setting'],
  [{ limits: { documents: 7 } }, 'limits.documents: is not a setting'],
  [{ alarms: { unchangedHours: { IN_WORK: 5 } } }, 'alarms.unchangedHours: is not a setting'],
  [{ unavailableProvesNothingDone: false }, 'unavailableProvesNothingDone: orderService.notDone lists the statuses'],
  [{ copies: { intake: 'ours' } }, 'copies: is no longer a setting: replicate buckets of your own, or use AWS Backup'],
  [{ alarms: { email: 'ops@partner.ru' } }, 'alarms.email: is no longer a setting: alarms.notify is'],
  ...['alias/mine', 'own', true].map((encryption): [Change, string] => [
    { encryption },
    'encryption: must be aws-managed, stack-key or the ARN of a KMS key',
  ]),
  [{ network: { vpc: 'mine', subnets } }, 'network.vpc: must be the id of a VPC, such as vpc-0a1b2c3d'],
  [{ network: { vpc, subnets: ['a'] } }, 'network.subnets.0: must be the id of a subnet'],
  [{ network: { subnets } }, 'network.vpc:'],
  [{ tags: { 'aws:owner': 'us' } }, 'tags: must have keys of 1 to 128 letters'],
  [{ tags: { '': 'us' } }, 'tags: must have keys of 1 to 128 letters'],
  [{ tags: { owner: 'x'.repeat(257) } }, 'tags.owner: must be at most 256 letters'],
  [{ tags: { owner: 4711 } }, 'tags.owner: must be a text, in quotes'],
  [{ tags: { owner: 'us', Owner: 'us' } }, 'tags: must have keys that differ by more than capital letters'],
  [{ tags: { Stage: 'prod' } }, 'tags: must have keys that differ by more than capital letters'],
  [{ tags: Object.fromEntries([...Array(41)].map((_, at) => [`key-${at}`, ''])) }, 'tags: must have at most 40 tags'],
  [{ permissionsBoundary: 'arn:aws:iam::1:role/x' }, 'permissionsBoundary: must be the ARN or the name of a managed'],
  [{ buckets: { intake: 'Ours' } }, 'buckets.intake: must be the name of a bucket'],
  [{ buckets: { intake: 'ours', staging: 'ours' } }, 'buckets: must be two buckets'],
  [{ orderService: { notDone: { accept: [502] } } }, 'orderService.notDone.accept.0: must be from 400 to 499, or 503'],
  ...['X-Request-ID', 'Authorization', 'Accept-Encoding', 'content-length', 'a b', 'Ключ', ''].map(
    (idempotencyHeader): [Change, string] => [
      { orderService: { idempotencyHeader } },
      'orderService.idempotencyHeader: must be the name of a header that calls do not have already',
    ],
  ),
  [{ orderService: { idempotent: true } }, 'orderService.idempotent: must be false without'],
  [{ buckets: { intake: 'ours' }, uploads: { packages: [CRM] } }, ': must have uploads or buckets.intake, not both'],
  [{ uploads: { packages: Array(20).fill(CRM.padEnd(500, 'x')) } }, 'uploads: must have at most 9,000 characters'],
  [{ namePrefix: 'Acme' }, 'namePrefix: must have a-z, 0-9 and single hyphens'],
  [{ namePrefix: 'much-too-long' }, 'namePrefix: must be or have at most 8'],
  [{ signing: { mode: 'kms' } }, 'signing.key: is required when mode is kms'],
  [{ signing: { key: { create: 'SYMMETRIC_DEFAULT' } } }, 'signing.key'],
  [{ signing: { key: KEY_ARN, evidenceKey: KEY_ARN } }, 'signing.evidenceKey: must be another key than signing.key'],
  [{ signing: { caBundle: 'authorities.pem' } }, `signing.caBundle: ${notPem}`],
  [{ signing: { caBundle: README } }, 'signing.caBundle: has no certificate in PEM'],
  [{ signing: { crl: README } }, 'signing.crl: cannot be read as a list of revoked certificates'],
  [{ signing: { revocation: { from: ['all'] } } }, 'signing.revocation.from.0: must be'],
  [{ signing: { timeStampAuthorities: LEAF } }, `signing.timeStampAuthorities: ${noAuthority}`],
  [{ signing: { signers: [] } }, 'signing.signers: must name somebody'],
  [{ signing: { signers: ['7707083893'] } }, 'signing.signers: must be fingerprints without signing.caBundle'],
  [{ retention: { documentsDays: 0 } }, 'retention.documentsDays: must be a whole number of days from 1'],
  [{ retention: { recordDays: 'never' } }, 'retention.recordDays: must be a number of days'],
  [{ retention: { documentsDays: 400 } }, `retention: ${order}`],
  [{ retention: { documentsDays: 'keep' } }, `retention: ${order}`],
  [{ retention: { legalHold: true }, keepData: false }, ': must have keepData: true'],
  [{ alarms: { notify: 'on-call' } }, 'alarms.notify: must be an e-mail address or the ARN of an SNS topic'],
];

/** `test.json:7: limits.documentBytes is 101, but must be …` */
const inOneSentence = (name: string, words: string) =>
  new RegExp(`test\\.json:\\d+: ${literally(name)}\\S*( is .+, but)? .*${literally(words)}`);
const literally = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

test.each(refused.map(([change, message]) => [message, change] as const))(
  'it is refused with %s',
  (message, change) => {
    const [name, words = ''] = message.split(/: ?(.*)/);
    expect(() => changed(change)).toThrow(inOneSentence(name || 'the stage', words));
  },
);

test('every mistake is listed, in the order of the file', () => {
  const text = 'limits: {documentBytes: x}\nregion: Frankfurt\norderService: {}\naccount: us\nfoo: 1\n';
  const read = () => stageSettings('test', stagesWith({ 'test.yaml': `${text}keepData: no\nlogRetentionDays: 8` }));
  expect(read).toThrow(
    /1: limits.*2: region.*3: orderService.*4: account.*5: foo.*6: keepData is "no", but must be true/s,
  );
  expect(read).toThrow(/ or false\.\n.*logRetentionDays is 8, but must be 7 or 30 or 90 or 180 or 365\.$/);
});

test('the certificates of a bundle are taken without the comments between them', () => {
  const { signing, orderService } = changed({
    signing: { caBundle: `Our authority\n${AUTHORITY}# and a comment\n${AUTHORITY}` },
    orderService: { caBundle: `# ours\n${AUTHORITY}` },
  });
  expect([signing.caBundle, orderService.caBundle]).toEqual([AUTHORITY + AUTHORITY, AUTHORITY]);
});

const addresses = 'orderService:\n  baseUrl: https://orders.bank.ru\n  authorizationUrl: https://login.bank.ru\n';

test.each([
  ['an unknown setting', `${addresses}keepdata: true\n`, ':4: keepdata is true, but is not a setting: keepData is.'],
  [
    'a number with a unit',
    `${addresses}limits:\n  documentBytes: 5 GB\n`,
    ':5: limits.documentBytes is "5 GB", but must be a whole number of bytes from 1024 to 5368709120.',
  ],
  [
    'an account without quotes',
    `account: 012345678901\n${addresses}`,
    ':1: account is 12345678901, but must be 12 digits in quotes.',
  ],
  [
    'a missing address',
    'orderService:\n  baseUrl: https://a.ru\n',
    ':1: orderService.authorizationUrl must be a text.',
  ],
  ['an empty file', '', ':1: orderService must be a group of settings.'],
  ['a list', '- keepData\n', ' cannot be read: it must hold settings.'],
  ['a merge key', `all: &all {keepData: false}\n${addresses}  <<: *all\n`, ':5: orderService.<< is not a setting.'],
  ['a number that is none', `${addresses}outagePatienceHours: 1e400\n`, 'outagePatienceHours is Infinity, but must be'],
  ['a setting like none', `${addresses}stage: prod\n`, ':4: stage is "prod", but is not a setting.'],
  ['a setting with the name of a method', `${addresses}toString: 1\n`, ':4: toString is 1, but is not a setting.'],
  ['a forgotten group', `${addresses}everyMinutes: 5\n`, 'but is not a setting: sweep.everyMinutes is.'],
  ['a group in the name', `${addresses}sweep.everyMinutes: 5\n`, ': write everyMinutes as a member of its group.'],
  [
    'a password',
    'orderService:\n  baseUrl: https://me:secret@bank.ru\n  authorizationUrl: https://login.bank.ru\n',
    'orderService.baseUrl is "https://…@bank.ru", but must have no user',
  ],
  ['a list in place of names', `${addresses}tags: [a]\n`, ':4: tags must be a group of names with values.'],
  ['10 MB', `${addresses}#${'x'.repeat(10_000_000)}`, ' cannot be read: it has more than 1 MiB.'],
  ['UTF-16', [...addresses].join('\0'), ' cannot be read: it is not text in UTF-8.'],
  ['a setting that is there twice', `${addresses}keepData: true\nkeepData: false\n`, ':5: Map keys must be unique: "'],
  ['two documents', `${addresses}---\nkeepData: false\n`, ':4: Source contains multiple documents: "---".'],
  ['a bracket that is open', 'events: {', ':1: Flow map in block collection'],
  ['an alias of nothing', `${addresses}account: *ours\n`, 'Unresolved alias'],
  [
    'aliases that would fill the memory',
    `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]\n`,
    'Excessive alias count',
  ],
])('a file with %s is refused with its line', (_title, text, sentence) => {
  const folder = stagesWith({ 'prod-retail.yaml': text });
  expect(() => stageSettings('prod-retail', folder)).toThrow(`${folder}/prod-retail.yaml`);
  expect(() => stageSettings('prod-retail', folder)).toThrow(sentence);
});

test('one mistake has one sentence', () => {
  const folder = stagesWith({ 'prod.yaml': 'orderService: {baseUrl: "", authorizationUrl: https://login.bank.ru}\n' });
  expect(() => stageSettings('prod', folder)).toThrow(/^.* must be an address, such as https:\S+$/);
});

test('what is no file is not read', () => {
  const folder = stagesWith({ 'prod.yaml/none': '', 'endless.yaml': `${addresses}  caBundle: /dev/zero\n` });
  symlinkSync('loop.yaml', `${folder}/loop.yaml`);
  expect(() => stageSettings('prod', folder)).toThrow('prod.yaml cannot be read: it is not a file.');
  expect(() => stageSettings('loop', folder)).toThrow('loop.yaml cannot be read: the file system says ELOOP.');
  expect(() => stageSettings('endless', folder)).toThrow(`${notPem} that can be read: it is not a file.`);
});

test('a stage may have any name, JSON or YAML, anchors, a schema and PEM files beside it', () => {
  const folder = stagesWith({
    'prod-leasing.json': {
      $schema: './stage.schema.json',
      orderService: { baseUrl: 'https://a.ru', authorizationUrl: 'https://b.ru' },
    },
    'test-2.yaml': `${addresses}  caBundle: authorities/ours.pem\nsignaturesDeadlineDays: &days 7\ndecisionDeadlineDays: *days\n`,
    'authorities/ours.pem': AUTHORITY,
  });
  expect(stageSettings('prod-leasing', folder)).toMatchObject({ name: 'prod-leasing', keepData: true });
  const orderService = { caBundle: AUTHORITY };
  expect(stageSettings('test-2', folder)).toMatchObject({ decisionDeadlineDays: 7, orderService });
  expect(stageSettings('local', folder).orderService.baseUrl).toBe('http://127.0.0.1:4010');
  expect(stageSettings('rehearsal', folder)).toMatchObject({ name: 'rehearsal', keepData: false });
});

test('two files of one stage, and a folder that does not exist, are refused', () => {
  const folder = stagesWith({ 'prod.yaml': addresses, 'prod.json': '{}' });
  expect(() => stageSettings('prod', folder)).toThrow(
    `Stage prod has two files in ${folder}, prod.json and prod.yaml: keep one.`,
  );
  for (const path of [`${folder}/none`, `${folder}/prod.yaml`])
    expect(() => stageSettings('prod', path)).toThrow(`The folder of stages ${path} cannot be read (ENO`);
});
