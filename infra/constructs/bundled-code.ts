import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { type AssetCode, Code } from 'aws-cdk-lib/aws-lambda';
import { type Bundle, functionFolders } from '../bundles/build.ts';
import { projectBundles } from '../bundles/bundles.ts';
import { LIBRARIES } from '../bundles/libraries.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A text beside a bundle. The environment variable tells the function the name of its file. */
export interface TextFile {
  variable: string;
  file: string;
  text: string;
}

/**
 * The bundle of a function as an asset, with `texts` beside it. The first call waits until all functions are bundled.
 * @param libraries whether functions share packages, in a folder beside the assets. AWS would not find it.
 */
export function bundledCode(name: string, texts: readonly TextFile[], libraries: boolean): AssetCode {
  const folder = functionFolders(root)[name];
  if (!folder) throw new Error(`There is no function ${name}.`);
  return Code.fromAsset(`${root}${folder}`, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Required but never used, because `tryBundle` always succeeds or throws.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle(directory) {
          const { [name]: bundle, [LIBRARIES]: shared } = projectBundles(libraries);
          if (!bundle) throw new Error(`There is no ${folder}/handler.ts.`);
          writeBundle(bundle, directory);
          if (shared) writeOnce(shared, join(directory, '..', LIBRARIES));
          for (const { file, text } of texts) writeFileSync(join(directory, file), text);
          return true;
        },
      },
    },
  });
}

/** The folders of libraries that this process has written: each is for all functions of an assembly. */
const written = new Set<string>();

function writeOnce(libraries: Bundle, directory: string): void {
  if (written.has(directory)) return;
  mkdirSync(directory, { recursive: true });
  writeBundle(libraries, directory);
  written.add(directory);
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
