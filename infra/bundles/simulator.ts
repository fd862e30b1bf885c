import type { BuildOptions, Metafile } from 'esbuild';
import { type Bundle, esbuild } from './build.ts';

export const SIMULATOR = 'simulator';

/** Fastify loads Node's modules by `require`, which a bundle lacks. */
const REQUIRE = "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);";

/** The function of a rehearsal's simulator: one file, and the font that pdfkit looks for beside it. */
export function buildSimulator(root: string): { bundle: Bundle; metafile: Metafile } {
  const common = { absWorkingDir: root, bundle: true, platform: 'node', target: 'node24', minify: true } as const;
  const build = (entry: string, options: BuildOptions) =>
    esbuild().buildSync({ ...common, entryPoints: [entry], ...options, write: false, metafile: true });
  const handler = build('infra/rehearsal/simulator/handler.ts', { format: 'esm', banner: { js: REQUIRE } });
  const font = build('node_modules/pdfkit/js/standard-fonts/Helvetica.cjs', { format: 'cjs' });
  const texts = {
    'index.mjs': handler.outputFiles[0]?.text ?? '',
    'helvetica.cjs': font.outputFiles[0]?.text ?? '',
    'package.json': JSON.stringify({ imports: { '#standard-fonts/Helvetica': './helvetica.cjs' } }),
  };
  const bundle = Object.fromEntries(Object.entries(texts).map(([file, text]) => [file, Buffer.from(text)]));
  return { bundle, metafile: handler.metafile };
}
