import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import type { explore } from './explore.ts';
import type { Scenario } from './order-model.ts';

/** No package takes part in the model: whatever is taken from one, made of it or called is this. */
const nothing: object = new Proxy(class {}, {
  get: (_target, name) => (typeof name === 'symbol' || name === 'then' ? undefined : nothing),
  getPrototypeOf: () => nothing,
  apply: () => nothing,
  construct: () => nothing,
});

async function modelWith(text?: string, instead = ''): Promise<typeof explore> {
  let times = 0;
  const changed = (path: string, parts = readFileSync(path, 'utf8').split(text ?? '')) => {
    times += parts.length - 1;
    return { contents: parts.join(instead), loader: 'ts' as const };
  };
  const filter = text === undefined ? /^$/ : /\/core\/(ledger|offers|order|reading|service)\//;
  const built = await build({
    ...{ entryPoints: [`${import.meta.dirname}/explore.ts`], bundle: true, write: false, logLevel: 'error' },
    ...{ platform: 'node', format: 'cjs', packages: 'external' },
    plugins: [{ name: 'change', setup: ({ onLoad }) => onLoad({ filter }, ({ path }) => changed(path)) }],
  });
  expect(times, `The code has this once: ${text}`).toBe(text === undefined ? 0 : 1);
  const module = { exports: {} as { explore: typeof explore } };
  const builtIn = createRequire(import.meta.url);
  const load = (name: string) => (name.startsWith('node:') ? builtIn(name) : nothing);
  new Function('module', 'require', built.outputFiles?.[0]?.text ?? '')(module, load);
  return module.exports.explore;
}

const few = { takes: [], lateReads: 1, staleReads: 2, faults: 1, retries: 1 } satisfies Partial<Scenario>;
const documents = { kind: 'documents' as const, file: 'd' };
const signatureOf = (file: string) => ({ kind: 'signatures' as const, file });
const offers: Scenario = { ...few, isCreated: true, asks: [], takes: ['XA', 'YA'] };
const SCENARIOS: { [name: string]: Scenario } = {
  creation: { ...few, asks: [documents] },
  'creation with a key': { ...few, asks: [], remembers: 'successes', faults: 2 },
  'no connection': { ...few, asks: [documents], takes: ['XA'], failures: ['no connection', '401'], staleReads: 0 },
  'no second copies': { ...few, isCreated: true, asks: [documents], refusesCopies: true },
  'a creation done in spite of 429': { ...few, asks: [], refusesCopies: true, untrue: '429' },
  signing: { ...few, isCreated: true, asks: [documents, signatureOf('f')] },
  'signing twice': { ...few, isCreated: true, isDirect: true, asks: [signatureOf('f'), signatureOf('g')] },
  offers,
  'shown as before': { ...offers, confirmedAs: 'AVAILABLE' },
  'others declined': { ...offers, othersAs: 'DECLINED' },
  'others absent': { ...offers, confirmedAs: 'IN_WORK', othersAs: 'absent' },
  'others absent, shown as before': { ...offers, confirmedAs: 'AVAILABLE', othersAs: 'absent' },
  'another offer': { ...offers, takes: ['XA'], takesInstead: ['YA'] },
  'another code': { ...offers, takes: ['XA'], takesInstead: ['XB'] },
  'two faults': { ...offers, takes: ['XA'], faults: 2 },
};

test('no promise is broken, whatever happens, and each order comes to its end, or to a person', async () => {
  const tryAll = await modelWith();
  const results = Object.entries(SCENARIOS).map(async ([name, one]) => [name, await tryAll(one)] as const);
  for (const [name, { result, way }] of await Promise.all(results))
    expect(`${name}: ${result}`, way.join('; ')).toMatch(/: ((accept|confirm|create) \w+, )*over(, upload refused)?$/);
  expect((await tryAll({ ...few, asks: [], remembers: 'nothing' })).result).toBe('created twice');
});

/** In a scenario: the promise that is broken without a rule, the rule's text in the code, and what undoes it. */
const UNDONE = `
# signing: an accept is taken for the next one
a refused accept is unknown | ifUnknown === 'again' ? failure | true ? failure
429 proves nothing of an accept | isDeclared && failure | (isDeclared || failure === 'turned away') && failure
an accept of unknown outcome is not sent again | return ifUnknown === 'again' | return ifUnknown !== 'never'
reads settle an accept only over the settling time | settlingSeconds * 1000 | settlingSeconds * 500
a status that comes back is not believed at once | if (!isBelieved) return | if (!isBelieved && !isBack) return
# signing twice: an accept is taken for the next one
the files of an earlier round are not believed at once | others && fileIds.every | !fileIds && fileIds.every
nor before the accept of a round | accept === 'none' && (!isEarlier || isBelieved) | accept === 'none'
# creation: created twice
503 proves nothing of a creation | && asksToWait | && true
a creation of unknown outcome is not sent again | rememberedUntil > new Date().toISOString() | true
# creation with a key: created twice
each attempt of unknown outcome has the same key | key: same?.key ?? newKey | key: newKey
# creation: the record says that operation#create was not done
409 proves nothing of a creation | isDeclared && failure | (isDeclared || failure === 'refused') && failure
# a creation done in spite of 429: the record says that operation#create was not done
a refusal after 429 proves nothing of a creation | before.state === 'none' ? NONE : OPEN | NONE
# no connection: create unknown, over
what was not sent teaches nothing | if (failure === 'not sent') return before; | // nothing
# no second copies: the record says that operation#upload#1#d was not done
a refused upload is unknown after one of unknown outcome |
  if (!isProof || before.state === 'open') return OPEN; | if (!isProof) return OPEN; return NONE;
# signing: a refused call is sent again, and nobody was told of the refusal
a final refusal fails its step | await recordVerdict(attempt, earlier); | return;
# two faults: a refused call is sent again, and nobody was told of the refusal
only a retry by a person sends a refused call again | refusedIn < retriedIn | refusedIn < (subject.generation ?? 0)
# offers: an offer is confirmed twice
only a believed OFFERS_AVAILABLE disproves a confirm | return isBelieved && !hasStatus | return !hasStatus
only a believed OFFERS_APPROVED does | (isBelieved || status === 'CLOSED') | true
# offers: the bank may close the order without an offer of unknown outcome
no read sends a confirm beside one of unknown outcome |
  if (decision?.choices.some(holdsOthers)) return ANSWERED; | // nothing
no Map does | isUnsettled(state) && !state.refused | false
# shown as before: the record is wrong about an offer
an offer that is AVAILABLE, alone, disproves no confirm | return tells && isAvailable | return isAvailable
nor beside one that nobody has chosen |
  choices.some(isShown) | offers.some((offer) => offer?.status === 'DECLINED')
OFFERS_APPROVED proves a confirm only if no other was done | && !anyConfirmed(decision) | && true
# others absent, shown as before: the record is wrong about an offer
nor beside one that is not listed | isListed(offers, choice.offerId) && | true &&
# others declined: the record is wrong about an offer
an offer that is gone is proven only if none has the confirmed status | !isStatusUsed && | true &&
# others absent: the record is wrong about an offer
nor is one that is not listed | && isListed(offers, offerId) && | &&
# another code: the record is wrong about an offer
a confirmed choice is shown as it was sent | codeOf(intent) ?? choice.code | choice.code
# another offer: the desk is told that a confirmed offer is not
a confirm of unknown outcome is not told as "not confirmed" | \` : WORDS.open; | \` : WORDS.none;
`;

const rules = UNDONE.split('\n# ').flatMap((part) => {
  const [, name = '', broken = '', rows = ''] = /^(.+?): (.+)\n([\s\S]*)$/.exec(part) ?? [];
  const cells = rows
    .replaceAll(/ \|\s+/g, ' | ')
    .split('\n')
    .map((row) => row.split(' | '));
  return cells.flatMap(([rule, ...change]) => (change.length > 0 ? [{ rule, name, broken, change }] : []));
});

test.each(rules)('without the rule "$rule": $broken', async ({ name, broken, change }) => {
  const tryAll = await modelWith(...change);
  expect((await tryAll(SCENARIOS[name] ?? offers)).result).toBe(broken);
});
