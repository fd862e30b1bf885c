import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Template {
  Resources: Record<string, object>;
  [section: string]: unknown;
}

/** Writes a cloud assembly from templates by stack name, and from the text of `index.mjs` by asset hash. */
export function writeAssembly(stacks: Record<string, Template>, assets: Record<string, string> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'handmade-assembly-'));
  const files: Record<string, object> = {};
  for (const [hash, code] of Object.entries(assets)) {
    mkdirSync(join(directory, `asset.${hash}`));
    writeFileSync(join(directory, `asset.${hash}`, 'index.mjs'), code);
    files[hash] = { source: { path: `asset.${hash}`, packaging: 'zip' } };
  }
  const artifacts: Record<string, object> = {};
  for (const [name, template] of Object.entries(stacks)) {
    const templateFile = `${name}.template.json`;
    const properties = { templateFile };
    artifacts[name] = {
      type: 'aws:cloudformation:stack',
      environment: 'aws://unknown-account/unknown-region',
      properties,
    };
    writeFileSync(join(directory, templateFile), JSON.stringify(template));
    writeFileSync(join(directory, `${name}.assets.json`), JSON.stringify({ files }));
  }
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ artifacts }));
  return directory;
}
