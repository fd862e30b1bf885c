import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { startEmbedded } from './engines.ts';
import { definition } from './moto.ts';
import { problems, runAll, suites } from './run.ts';

it('answers as AWS documents, but for the differences that the table explains', async () => {
  const engine = await startEmbedded();
  const results = await runAll(engine).finally(() => engine.close());
  expect(problems(results, engine.name)).toEqual([]);
});

/** Commands of lib-dynamodb have other names, and `Upload` of lib-storage sends several. */
const OTHER_NAMES: Record<string, string[]> = {
  Get: ['GetItem'],
  Put: ['PutItem'],
  Update: ['UpdateItem'],
  Delete: ['DeleteItem'],
  Upload: ['PutObject', 'CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload', 'AbortMultipartUpload'],
};

/** Only `doctor` asks them, of what a stage has on AWS alone. The embedded AWS does not have them. */
const ON_AWS_ALONE = ['GetTopicAttributes', 'GetAccountSettings'];

it('covers every operation that the product uses', () => {
  const root = new URL('../../', import.meta.url);
  const files = globSync('{core,functions,commands,console}/**/*.ts', { cwd: root });
  const used = files.flatMap((file) => {
    const found = readFileSync(new URL(file, root), 'utf8').matchAll(
      /\bnew ([A-Z]\w+)Command\(|\bpaginate([A-Z]\w+)|\bnew (Upload)\(/g,
    );
    return [...found].map(([, command, pages, upload]) => command ?? pages ?? upload ?? '');
  });
  const covered = suites.flatMap(({ cases }) => cases.map(({ operation }) => operation));
  expect(used.length).toBeGreaterThan(50);
  const asked = used.filter((name) => !ON_AWS_ALONE.includes(name)).flatMap((name) => OTHER_NAMES[name] ?? name);
  expect(covered).toEqual(expect.arrayContaining(asked));
});

/** The package has no types. */
type Validator = (definition: object) => { errorsText(): string };

it('asl-validator finds no fault in the definition', () => {
  const validate = createRequire(import.meta.url)('asl-validator') as Validator;
  expect(validate(JSON.parse(definition)).errorsText()).toBe('');
});
