import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { AwsRequest, RequestFault } from '@business-loan-orders/embedded-aws';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
import { outputOf, refusalOf } from '../helpers/commands-in.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld } from '../helpers/open-world.ts';
import { beforeFirst } from '../helpers/requests.ts';
import { openFolder } from '../helpers/signer-files.ts';
import { hasTerminal, keys, onTerminal } from '../helpers/terminal.ts';
import { DAY } from '../helpers/world.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, ...NO_OFFERS } });
const requests: AwsRequest[] = [];
const breakRequests = (fault: (request: AwsRequest) => RequestFault | undefined = () => undefined) => {
  world.wrappers.requestWrapper = async (request) => {
    requests.push(request);
    return fault(request);
  };
};
const folder = openFolder();

beforeEach(() => {
  requests.length = 0;
  breakRequests();
});

function packageOf(name: string, change: (text: string) => string = (text) => text): string {
  const path = folder.path(name);
  cpSync('examples/two-offers', path, { recursive: true });
  const file = join(path, 'order.json');
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  return path;
}

const commandLine = async (...args: string[]) => {
  const outcome = await loanOrders(['--endpoint', world.aws.endpoint, ...args]);
  await world.aws.settle();
  return outcome;
};

const uploads = () =>
  requests.filter(({ service, operation, path, accessKeyId }) => {
    return service === 'S3' && operation === 'PUT' && accessKeyId === 'local' && !path.includes('uploads');
  });

/** The requests for a file of a package. The stage itself is asked whether it is paused. */
const toIntake = () => requests.filter(({ path }) => path.includes('/orders/'));

test.each(['broken', 'two-offers'])('lint finds in the example %s exactly what intake finds', async (example) => {
  const path = folder.path(`lint-${example}`);
  cpSync(`examples/${example}`, path, { recursive: true });
  const { code, stdout } = await loanOrders(['--stage', 'local', '--json', 'lint', path]);
  expect(requests).toEqual([]);
  const { orderRef, problems } = JSON.parse(stdout);
  expect(code).toBe(problems.length > 0 ? 1 : 0);
  const documents = readdirSync(join(path, 'documents')).map((name) => `documents/${name}`);
  for (const file of [...documents, 'order.json']) await world.put(orderRef, file, readFileSync(join(path, file)));
  await world.aws.settle();
  const found = (await world.packageProblems(orderRef)) ?? [];
  // The command line adds a name that would do.
  for (const [at, { path, problem, fix, code }] of problems.entries()) {
    const { params: _params, ...one } = found[at] ?? { fix: '-' };
    expect({ ...one, fix: fix.startsWith(one.fix) }).toEqual({ path, problem, fix: true, code });
  }
  expect(found).toHaveLength(problems.length);
});

test('submit takes several packages, one with problems is not uploaded and stops none of the others, and it can be said again', async () => {
  const wrong = packageOf('wrong', (text) => text.replace('"docType": "CHARTER"', '"docType": 7'));
  const folders = [packageOf('one'), wrong, packageOf('another')];
  const first = await commandLine('submit', ...folders);
  expect(first).toMatchObject({ code: 1 });
  expect(first.stdout).toMatch(
    /^3 packages: 2 accepted, 1 not:\n\nwrong:\n.*\$\.documents\[0\]\.docType: It is not a string/s,
  );
  expect(toIntake().filter(({ path }) => path.includes('/wrong/'))).toEqual([]);
  for (const orderRef of ['one', 'another']) expect(await world.record(orderRef)).toMatchObject({ generation: 1 });
  expect(await world.record('wrong')).toBeUndefined();
  const before = uploads().length;
  const again = folders.filter((path) => path !== wrong);
  expect(outputOf(await commandLine('submit', ...again))).toBe('2 packages: 2 accepted.\n');
  expect(uploads()).toHaveLength(before);
});

test('submit refuses several packages under one reference', async () => {
  const folders = [packageOf('same'), `${packageOf('in')}/../same`];
  const said = refusalOf(await commandLine('submit', ...folders));
  expect(said).toMatch(/^Two of these folders have the same name, .*: nothing was submitted\./);
});

test('submit uploads a package, order.json last, and tells that it was accepted', async () => {
  const { code, stdout } = await commandLine('submit', packageOf('submitted'));
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Order submitted was accepted: 3 documents, 5\.4 KB\. It is [A-Z_]+\./),
  });
  expect(uploads().map(({ path }) => path.replace(/^.*\/submitted\/|\?.*$/g, ''))).toEqual([
    'documents/charter.pdf',
    'documents/balance-sheet-2025.pdf',
    'documents/director-passport.pdf',
    'order.json',
  ]);
  expect(await world.untilEnd('submitted')).toMatchObject({ status: 'CLOSED' });
});

test('a corrected order.json starts the order, not the rejected one that lacked the document that comes with it', async () => {
  const path = packageOf('corrected', (text) => text.replace('5000000.0', '5000001.0'));
  await world.putAndSettle('corrected', 'order.json', readFileSync('examples/two-offers/order.json'));
  expect(await world.packageProblems('corrected')).toHaveLength(3);
  expect(await commandLine('submit', path)).toMatchObject({ code: 0 });
  expect(await world.untilEnd('corrected')).toMatchObject({ status: 'CLOSED' });
  const [creation] = await world.calls('corrected');
  expect(creation).toMatchObject({ requestBody: { value: { loan: { amount: 5000001 } } } });
  expect(await world.answers('corrected')).toEqual([]);
});

test('a folder that is submitted again has only what changed uploaded, and another order.json is refused', async () => {
  const path = packageOf('again');
  await commandLine('submit', path);
  requests.length = 0;
  const same = /^Order again was submitted before and is .*: nothing was uploaded\.\n$/;
  expect(await commandLine('submit', path)).toMatchObject({ code: 0, stdout: expect.stringMatching(same) });
  expect(uploads()).toEqual([]);
  writeFileSync(join(path, 'documents/charter.pdf'), 'another charter');
  const { stdout } = await commandLine('--json', 'submit', path);
  expect(JSON.parse(stdout)).toMatchObject({ orderRef: 'again', uploaded: ['documents/charter.pdf'] });
  expect(uploads()).toHaveLength(1);
  packageOf('again', (text) => text.replace('5000000.0', '1.0'));
  const other = /^Order again was started from another order\.json and is .*--ref\.\n$/;
  expect(await commandLine('submit', path)).toMatchObject({ code: 1, stderr: expect.stringMatching(other) });
  expect(uploads()).toHaveLength(1);
  expect(await commandLine('submit', path, '--ref', 'other-ref')).toMatchObject({ code: 0 });
});

test('a large file continues where an interrupted upload ended, and arrives whole', async () => {
  const path = packageOf('large');
  const content = Buffer.alloc(20 * 1024 * 1024, 'charter ');
  writeFileSync(join(path, 'documents/charter.pdf'), content);
  const part = (number: number) => (request: AwsRequest) => request.path.includes(`partNumber=${number}`);
  breakRequests((request) => (part(3)(request) ? { status: 403, code: 'AccessDenied' } : undefined));
  expect(refusalOf(await commandLine('submit', path))).toContain('denied access');
  expect(requests.filter(part(1))).toHaveLength(1);
  expect(await world.record('large')).toBeUndefined();
  breakRequests();
  requests.length = 0;
  expect(await commandLine('submit', path)).toMatchObject({ code: 0 });
  expect(requests.filter((request) => [1, 2, 3].some((number) => part(number)(request)))).toHaveLength(1);
  expect(requests.filter(part(3))).toHaveLength(1);
  const { documents } = (await world.record('large')) ?? {};
  expect(documents?.[0]).toMatchObject({ file: 'documents/charter.pdf', size: content.length });
  requests.length = 0;
  expect(await commandLine('submit', path)).toMatchObject({ stdout: expect.stringContaining('nothing was uploaded') });
  expect(uploads()).toEqual([]);
});

test('a package that intake rejects although lint passed it ends with the problems', async () => {
  const path = packageOf('rejected-there');
  // Between the check and the upload of order.json, somebody removes a document.
  beforeFirst(
    world,
    ({ operation, path: key }) => operation === 'PUT' && key.includes('order.json'),
    () => world.removeFromIntake('rejected-there', 'documents/charter.pdf'),
  );
  const { code, stdout } = await commandLine('submit', path);
  expect(code).toBe(1);
  expect(stdout).toContain('The file documents/charter.pdf is not in the package.');
  expect(await world.packageProblems('rejected-there')).toHaveLength(1);
  breakRequests();
  expect(await commandLine('submit', path)).toMatchObject({ code: 0 });
});

test.each([
  ['a folder that does not exist', 'nowhere', 'does not exist: nothing was done.'],
  ['a file', 'file', 'is a file: give the folder of the package. Nothing was done.'],
  ['a folder without order.json', 'empty', 'has no order.json: it is not a package.'],
  ['a folder with Order.json', 'capital', 'It has Order.json: the name must be order.json'],
])('%s is refused with one sentence', async (_what, name, sentence) => {
  if (name === 'file') writeFileSync(folder.path(name), '{}');
  else if (name !== 'nowhere') mkdirSync(folder.path(name));
  if (name === 'capital') writeFileSync(join(folder.path(name), 'Order.json'), '{}');
  for (const command of ['lint', 'submit']) {
    expect(refusalOf(await commandLine(command, folder.path(name)))).toContain(sentence);
  }
  expect(toIntake()).toEqual([]);
});

test.each<[string, string, string]>([
  ['a document', 'documents/charter.pdf', 'file'],
  ['the folder of the documents', 'documents', 'folder'],
  ['order.json', 'order.json', 'file'],
])('a package in which %s is a link sends no file of this machine', async (_what, name, kind) => {
  const path = packageOf(`linked-${name.replace(/\W/g, '-')}`);
  const outside = folder.path(`outside-${name.replace(/\W/g, '-')}`);
  renameSync(join(path, name), outside);
  symlinkSync(outside, join(path, name), kind === 'folder' ? 'dir' : 'file');
  const { code, stdout } = await loanOrders(['lint', path]);
  expect(code).toBe(1);
  expect(stdout).toContain('it is a link, or in a folder that is one. Put the file itself there.');
  expect(await commandLine('submit', path)).toMatchObject({ code: expect.not.toSatisfy((one) => one === 0) });
  expect(toIntake()).toEqual([]);
});

test('a folder that becomes a link after the check is not sent', async () => {
  const path = packageOf('swapped');
  const outside = `${path}-outside`;
  breakRequests((request) => {
    if (!request.path.includes('/swapped/status.json') || existsSync(outside)) return undefined;
    renameSync(join(path, 'documents'), outside);
    symlinkSync(outside, join(path, 'documents'));
    return undefined;
  });
  expect(await commandLine('submit', path)).toMatchObject({ code: 1, stderr: expect.stringContaining('a link') });
  expect(uploads()).toEqual([]);
});

describe('files that order.json does not name', () => {
  const withNotes = (name: string) => {
    const path = packageOf(name);
    writeFileSync(join(path, 'documents/notes.txt'), 'internal');
    return path;
  };

  test('are named by lint, but not those of a hidden folder', async () => {
    const path = withNotes('extra-linted');
    mkdirSync(join(path, '.git'));
    writeFileSync(join(path, '.git/HEAD'), 'ref');
    const { stdout } = await loanOrders(['lint', path]);
    expect(stdout).toContain('documents/notes.txt is not named in order.json');
    expect(stdout).not.toContain('HEAD');
  });

  test('stop submit where nobody can be asked, and nothing is uploaded', async () => {
    const { code, stdout, stderr } = await commandLine('submit', withNotes('extra'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/documents\/notes\.txt.*Nothing was uploaded\..*--without-unnamed/);
    expect(toIntake()).toEqual([]);
  });

  test('stop only their package when several are submitted', async () => {
    const { code, stdout } = await commandLine('submit', withNotes('extra-one'), packageOf('extra-none'));
    expect(code).toBe(1);
    expect(stdout).toMatch(/1 accepted, 1 not:\n\nextra-one:\n.*documents\/notes\.txt/);
  });

  test('are left out on request', async () => {
    expect(await commandLine('submit', '--without-unnamed', withNotes('extra-left'))).toMatchObject({ code: 0 });
    expect(uploads().some(({ path: key }) => key.includes('notes.txt'))).toBe(false);
  });

  test.skipIf(!hasTerminal)('are asked about on a terminal', async () => {
    const run = onTerminal(['--local', '--endpoint', world.aws.endpoint, 'submit', withNotes('extra-asked')]);
    await run.answer('documents/notes.txt', keys.enter);
    expect(await run.ended, run.shown()).toBe(1);
    expect(run.shown()).toContain('Nothing was uploaded.');
    expect(toIntake()).toEqual([]);
  });
});

test('submit warns of orders of the same company and sum in the last two weeks, and of no other', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() + 13 * DAY });
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    vi.useRealTimers();
    written.mockRestore();
  });
  const said = async (...names: string[]) => {
    written.mockClear();
    expect(await commandLine('submit', ...names)).toMatchObject({ code: 0 });
    return written.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('same company'));
  };
  const named = (name: string, amount: string) =>
    packageOf(name, (text) => text.replace('Example Trade', 'Alike').replace('5000000.0', amount));
  expect(await said(named('alike-1', '7000000'))).toEqual([]);
  const same = named('alike-2', '7000000.0');
  const warnings = await said(same, named('alike-3', '7000001'), named('alike-4', '7000001'));
  expect(warnings.sort()).toEqual([
    expect.stringMatching(
      /^alike-2: There are orders of the same company and sum .*: alike-1\. If this is the same loan/,
    ),
    expect.stringMatching(/^(alike-3: .*: alike-4|alike-4: .*: alike-3)\. If/),
  ]);
  vi.setSystemTime(Date.now() + 2 * DAY);
  expect(await said(same)).toEqual([]);
});
