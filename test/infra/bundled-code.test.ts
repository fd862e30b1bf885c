import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { expect, inject, test } from 'vitest';
import { BundledFunction } from '../../infra/constructs/bundled-function.ts';
import { stageSettings } from '../../infra/stages.ts';

test('the asset of a function has its module, its texts, a source map that finds the sources from anywhere, and nothing planted', () => {
  const outdir = mkdtempSync(join(inject('temporaryDirectory'), 'bundled-code-'));
  const text = 'A certificate\n'.repeat(1_000);
  const synth = () => {
    const stack = new Stack(new App({ outdir, builtinCloudFormationValidation: false }), 'Stack');
    new BundledFunction(stack, 'Function', {
      stage: stageSettings('test'),
      name: 'record-end',
      description: 'bundled',
      texts: [{ variable: 'AUTHORITIES_FILE', file: 'authorities.pem', text }],
    });
    return Template.fromStack(stack);
  };
  const assets = () => readdirSync(outdir).filter((name) => name.startsWith('asset.'));
  synth();
  for (const file of ['index.mjs', 'planted.mjs']) writeFileSync(join(outdir, `${assets()}`, file), 'planted');
  const template = synth();
  const [asset = '', ...others] = assets();
  expect(others).toEqual([]);
  expect(readdirSync(outdir)).not.toContain('libraries');
  const read = (file: string) => readFileSync(join(outdir, asset, file), 'utf8');
  expect(readdirSync(join(outdir, asset)).sort()).toEqual(['authorities.pem', 'index.mjs', 'index.mjs.map']);
  const { sources } = JSON.parse(read('index.mjs.map')) as { sources: string[] };
  const paths = sources.map((source) => resolve(outdir, asset, source));
  expect(paths.filter((path) => path.endsWith('/functions/record-end/handler.ts'))).toHaveLength(1);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  expect([read('authorities.pem'), read('index.mjs') === 'planted']).toEqual([text, false]);
  template.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: Match.objectLike({ AUTHORITIES_FILE: 'authorities.pem' }) },
  });
});
