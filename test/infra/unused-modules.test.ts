import { createHash, sign, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { applyRule } from '../../core/offers/rule.ts';
import { buildOptions } from '../../infra/bundles/build.ts';
import { plainSchemaKeys } from '../../infra/bundles/plain-schema-keys.ts';
import { programText } from '../../infra/bundles/program-text.ts';
import { unusedModules } from '../../infra/bundles/unused-modules.ts';
import { makeAuthority, makeSigner } from '../../packages/detached-signatures/certificates.ts';
import type * as signing from '../../packages/detached-signatures/create-signature.ts';
import * as whole from '../../packages/detached-signatures/read-signature.ts';
import type * as gate from '../../packages/detached-signatures/signature-gate.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'unused-modules-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** A module that is bundled with the options and plugins of the functions. */
async function bundled<Module>(name: string, contents: string): Promise<Module> {
  return (await import(await bundle(name, contents))) as Module;
}

async function bundle(name: string, contents: string): Promise<string> {
  const { entryPoints: _, outdir: _directory, outExtension: _extension, ...options } = buildOptions(root);
  const outfile = join(directory, `${name}.mjs`);
  const plugins = [plainSchemaKeys, programText, unusedModules];
  await build({ ...options, sourcemap: false, stdin: { contents, resolveDir: root }, outfile, plugins });
  return outfile;
}

interface Lazy {
  parts(): Promise<typeof whole>;
  signing(): Promise<typeof signing>;
  gate(): Promise<typeof gate>;
  rule(): Promise<{ applyRule: typeof applyRule }>;
  decision(): Promise<{ parseDecision(bytes: Uint8Array): unknown }>;
}

describe('libraries that bundles load when they need them', () => {
  const document = Buffer.from('Заявка на кредит: договор № 1');
  const now = new Date('2026-03-04T05:06:07Z');
  let lazy: Lazy;
  beforeAll(async () => {
    await bundle('rule-evaluator-thread', "import './core/offers/rule-evaluator-thread.ts';");
    lazy = await bundled<Lazy>(
      'lazy',
      `export const parts = () => import('./packages/detached-signatures/read-signature.ts');
       export const signing = () => import('./packages/detached-signatures/create-signature.ts');
       export const gate = () => import('./packages/detached-signatures/signature-gate.ts');
       export const rule = () => import('./core/offers/rule.ts');
       export const decision = () => import('./core/offers/decision-schema.ts');`,
    );
  });

  test('are complete for all callers that load one at the same time', async () => {
    const [one, other] = await Promise.all([lazy.rule(), lazy.rule()]);
    for (const { applyRule } of [one, other]) {
      expect(await applyRule('[]', {}, [])).toEqual({ reason: 'The rule chose no offer.' });
    }
    const decisions = await Promise.all([lazy.decision(), lazy.decision()]);
    for (const { parseDecision } of decisions) {
      expect(parseDecision(Buffer.from('{ "choices": [] }'))).toEqual({ choices: [] });
    }
  });

  test.each([
    ['rsa-2048', 'sha256'],
    ['p-384', 'sha384'],
  ] as const)('make, read and check signatures with %s and %s', async (keyType, digestAlgorithm) => {
    const [{ createDetachedSignature }, { checkSignature }, { readCmsSignature }] = await Promise.all([
      lazy.signing(),
      lazy.gate(),
      lazy.parts(),
    ]);
    const authority = makeAuthority();
    const signer = makeSigner(keyType, { authority });
    const bytes = await createDetachedSignature({
      digest: createHash(digestAlgorithm).update(document).digest(),
      digestAlgorithm,
      certificates: [signer.certificate, authority.certificate],
      keyType: signer.keyType,
      sign: async (data) => sign(digestAlgorithm, data, signer.privateKey),
      signingTime: now,
    });
    const read = readCmsSignature(bytes);
    expect(read.signers).toHaveLength(1);
    expect(read).toEqual(whole.readCmsSignature(bytes));
    const verdict = await checkSignature(
      bytes,
      {
        digest: async (algorithm) => createHash(algorithm).update(document).digest(),
        open: async () => Readable.from([document]),
        describeOwner: async () => undefined,
      },
      { level: 'strict', authorities: [new X509Certificate(authority.certificate)], now },
    );
    expect(verdict).toEqual({ passed: true });
  });
});

test('a bundled client knows its own version', async () => {
  const contents = "export { default as manifest } from '@aws-sdk/client-s3/package.json';";
  const { manifest } = await bundled<{ manifest: unknown }>('version', contents);
  expect(manifest).toEqual({ version: expect.stringMatching(/^3\.\d+\.\d+$/) });
});

test('an operation with an event stream fails in a bundle with a message that says why', async () => {
  const contents = "export { EventStreamSerde } from '@smithy/core/event-streams';";
  const { EventStreamSerde } = await bundled<{ EventStreamSerde: new () => object }>('events', contents);
  expect(() => new EventStreamSerde()).toThrow('Bundles have no event streams');
});

test('no function uses the DynamoDB endpoint discovery that bundles leave out', async () => {
  const { metafile } = await build({
    ...buildOptions(root),
    entryPoints: ['functions/receive/handler.ts'],
    outExtension: {},
    plugins: [plainSchemaKeys, unusedModules],
    write: false,
    metafile: true,
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const bytesOf = (end: string) => inputs.find(([path]) => path.endsWith(end))?.[1].bytesInOutput;
  expect(bytesOf('@aws-sdk/endpoint-cache/dist-es/EndpointCache.js')).toBeGreaterThan(0);
  expect(bytesOf('endpointDiscoveryMiddleware.js') ?? 0).toBe(0);
  expect(bytesOf('updateDiscoveredEndpointInCache.js') ?? 0).toBe(0);
});
