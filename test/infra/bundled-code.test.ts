import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { expect, onTestFinished, test } from 'vitest';
import { BundledFunction } from '../../infra/constructs/bundled-function.ts';
import { stageSettings } from '../../infra/stages.ts';

test('the asset of a function is a folder with its module and a source map that finds the sources from anywhere', () => {
  const outdir = mkdtempSync(join(tmpdir(), 'bundled-code-'));
  onTestFinished(() => rmSync(outdir, { recursive: true }));
  const app = new App({ outdir, builtinCloudFormationValidation: false });
  const stage = stageSettings('test');
  new BundledFunction(new Stack(app, 'Stack'), 'Function', { stage, name: 'record-end', description: 'bundled' });
  app.synth();
  const [asset = '', ...others] = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
  expect(others).toEqual([]);
  expect(readdirSync(join(outdir, asset)).sort()).toEqual(['index.mjs', 'index.mjs.map']);
  const { sources } = JSON.parse(readFileSync(join(outdir, asset, 'index.mjs.map'), 'utf8')) as { sources: string[] };
  const paths = sources.map((source) => resolve(outdir, asset, source));
  expect(paths.filter((path) => path.endsWith('/functions/record-end/handler.ts'))).toHaveLength(1);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});
