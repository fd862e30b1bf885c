import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileAssetPackaging, Stack, Stage } from 'aws-cdk-lib';
import { Code, type CodeConfig } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Bundle } from '../bundles/build.ts';
import { bundleOf } from '../bundles/bundles.ts';
import { type Files, writeFiles } from '../bundles/own-files.ts';
import { EMBEDDED_CONTEXT } from '../stage-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A text beside a bundle. The environment variable tells the function the name of its file. */
export interface TextFile {
  variable: string;
  file: string;
  text: string;
}

/** The bundle of a function as an asset, with `texts` beside it. The first call waits until all functions are bundled. */
export function bundledCode(scope: Construct, name: string, texts: readonly TextFile[]): Code {
  return writtenCode(scope, name, (assembly) => {
    const isEmbedded = scope.node.tryGetContext(EMBEDDED_CONTEXT) !== undefined;
    const bundle = isEmbedded ? moved(bundleOf(name), assembly) : bundleOf(name);
    return { ...bundle, ...Object.fromEntries(texts.map(({ file, text }) => [file, text])) };
  });
}

/**
 * Files as an asset, whose name is a hash of them. The CDK's own asset folders are writable by every user, and existing ones are reused
 * unchecked.
 */
export function writtenCode(scope: Construct, displayName: string, filesIn: (assembly: string) => Files): Code {
  const { assetOutdir, outdir } = Stage.of(scope) as Stage;
  // A stack that the command does not name needs no code.
  const files = Stack.of(scope).bundlingRequired ? filesIn(assetOutdir) : {};
  const hashes = Object.entries(files).map(([file, content]) => `${file} ${hash('sha256', content)}`);
  const sourceHash = hash('sha256', hashes.sort().join('\n'));
  const path = join(assetOutdir, `asset.${sourceHash}`);
  rmSync(path, { recursive: true, force: true });
  writeFiles(path, files);
  // All stages of an app share the folder of its assets.
  const fileName = relative(outdir, path);
  const asset = { sourceHash, fileName, packaging: FileAssetPackaging.ZIP_DIRECTORY, displayName };
  const s3Location = Stack.of(scope).synthesizer.addFileAsset(asset);
  return new (class extends Code {
    readonly isInline = false;
    bind(): CodeConfig {
      return { s3Location };
    }
  })();
}

/** The bundle in a folder of the assembly: there, its source maps find the sources on this machine. Elsewhere it is the same for everybody. */
function moved(bundle: Bundle, assembly: string): Files {
  const toRoot = `${relative(join(assembly, 'asset'), root).split(sep).join('/')}/`;
  const text = (content: Uint8Array) => Buffer.from(content).toString().replaceAll('"../../', `"${toRoot}`);
  return Object.fromEntries(
    Object.entries(bundle).map(([file, content]) => [file, file.endsWith('.map') ? text(content) : content]),
  );
}
