import { Command, Option } from 'commander';
import { type Engine, startEmbedded, startOn, startOnMoto } from './engines.ts';
import { knownDifferences, problems } from './report.ts';
import { runAll } from './run.ts';
import { suites } from './suites.ts';

const program = new Command('conformance')
  .description('Compares the answers of an engine with those that AWS documents.')
  .addOption(
    new Option('--engine <name>', '`aws` is the account of your environment: the suite costs some cents there')
      .choices(['embedded', 'moto', 'aws'])
      .default('embedded'),
  )
  .addOption(new Option('--endpoint <url>', 'an engine that serves all services at one address').conflicts('engine'));

interface Options {
  engine: 'embedded' | 'moto' | 'aws';
  endpoint?: string;
}

const starts: Record<Options['engine'], () => Promise<Engine>> = {
  embedded: startEmbedded,
  moto: startOnMoto,
  aws: () => startOn(),
};

async function main(): Promise<void> {
  const { engine: wanted, endpoint } = program.parse().opts<Options>();
  const engine = await (endpoint === undefined ? starts[wanted]() : startOn(endpoint));
  try {
    const results = await runAll(suites, engine);
    const known = knownDifferences(results, engine.name);
    const walked = await engine.walk?.();
    const wrong = [...problems(results, engine.name), ...(walked?.problems ?? [])];
    const text = [`${known.length} known differences`, ...known, '', ...(walked ? [walked.line] : [])];
    console.log([...text, `${results.length} cases, ${wrong.length} problems`, ...wrong].join('\n'));
    if (wrong.length > 0) process.exitCode = 1;
  } finally {
    await engine.close();
  }
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
