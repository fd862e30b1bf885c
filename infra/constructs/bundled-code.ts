import { writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { type AssetCode, Code } from 'aws-cdk-lib/aws-lambda';
import { type Bundle, functionFolders } from '../bundles/build.ts';
import { projectBundles } from '../bundles/bundles.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A text beside a bundle. The environment variable tells the function the name of its file. */
export interface TextFile {
  variable: string;
  file: string;
  text: string;
}

/** The bundle of a function as an asset, with `texts` beside it. The first call waits until all functions are bundled. */
export function bundledCode(name: string, texts: readonly TextFile[]): AssetCode {
  const folder = functionFolders(root)[name];
  if (!folder) throw new Error(`There is no function ${name}.`);
  return Code.fromAsset(`${root}${folder}`, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Required but never used, because `tryBundle` always succeeds or throws.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle(directory) {
          const bundle = projectBundles()[name];
          if (!bundle) throw new Error(`There is no ${folder}/handler.ts.`);
          writeBundle(bundle, directory);
          for (const { file, text } of texts) writeFileSync(join(directory, file), text);
          return true;
        },
      },
    },
  });
}

/** Writes the bundle. Source maps get paths relative to `directory`, so stack traces on this machine show the source files. */
function writeBundle(bundle: Bundle, directory: string): void {
  const toRoot = `${relative(directory, root).split(sep).join('/')}/`;
  for (const [file, content] of Object.entries(bundle)) {
    const elsewhere = file.endsWith('.map') && toRoot !== '../../';
    const moved = () => Buffer.from(content).toString().replaceAll('"../../', `"${toRoot}`);
    writeFileSync(join(directory, file), elsewhere ? moved() : content);
  }
}
