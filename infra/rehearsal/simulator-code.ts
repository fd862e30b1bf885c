import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { type AssetCode, Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Fastify loads Node's modules by `require`, which a bundle lacks. */
const REQUIRE = "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);";

/** The simulator's function as an asset: one file, and the font that pdfkit looks for beside it. */
export function simulatorCode(): AssetCode {
  return Code.fromAsset(fileURLToPath(new URL('simulator', import.meta.url)), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Required but never used, because `tryBundle` always succeeds or throws.
      image: DockerImage.fromRegistry('none'),
      local: { tryBundle: bundle },
    },
  });
}

function bundle(directory: string): true {
  const common = { absWorkingDir: root, bundle: true, platform: 'node', target: 'node24', minify: true } as const;
  const build = (entry: string, file: string, options: BuildOptions) =>
    buildSync({ ...common, entryPoints: [entry], outfile: join(directory, file), ...options });
  build('infra/rehearsal/simulator/handler.ts', 'index.mjs', { format: 'esm', banner: { js: REQUIRE } });
  build('node_modules/pdfkit/js/standard-fonts/Helvetica.cjs', 'helvetica.cjs', { format: 'cjs' });
  const font = { imports: { '#standard-fonts/Helvetica': './helvetica.cjs' } };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(font));
  return true;
}
