import { Command, Option } from 'commander';
import { type Engine, startEmbedded, startOnAccount, startOnMoto } from './engines.ts';
import { knownDifferences, problems, runAll } from './run.ts';

const starts = {
  embedded: startEmbedded,
  moto: startOnMoto,
  aws: startOnAccount,
};

const program = new Command('conformance')
  .description('Compares the answers of an engine with those that AWS documents.')
  .addOption(
    new Option('--engine <name>', '`aws` is the account of your environment: the suite costs some cents there')
      .choices(Object.keys(starts))
      .default('embedded'),
  );

async function main(): Promise<void> {
  const engine: Engine = await starts[program.parse().opts<{ engine: keyof typeof starts }>().engine]();
  try {
    const results = await runAll(engine);
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
