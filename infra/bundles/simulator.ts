import type { BuildOptions } from 'esbuild';
import { type Bundle, esbuild } from './build.ts';

export const SIMULATOR = 'simulator';

/** Fastify loads Node's modules by `require`, which a bundle lacks. */
const REQUIRE = "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);";

/** The function of a rehearsal's simulator: one file, and the font that pdfkit looks for beside it. */
export function simulatorBundle(root: string): Bundle {
  const common = { absWorkingDir: root, bundle: true, platform: 'node', target: 'node24', minify: true } as const;
  const build = (entry: string, options: BuildOptions) =>
    esbuild().buildSync({ ...common, entryPoints: [entry], ...options, write: false }).outputFiles[0]?.text ?? '';
  const files = {
    'index.mjs': build('infra/rehearsal/simulator/handler.ts', { format: 'esm', banner: { js: REQUIRE } }),
    'helvetica.cjs': build('node_modules/pdfkit/js/standard-fonts/Helvetica.cjs', { format: 'cjs' }),
    'package.json': JSON.stringify({ imports: { '#standard-fonts/Helvetica': './helvetica.cjs' } }),
  };
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [file, Buffer.from(text)]));
}
