import { randomUUID } from 'node:crypto';
import { constants, copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { isFileName } from '../core/package/intake-key.ts';
import type { OrderPackage } from '../core/package/package-schema.ts';
import { type AddCommand, ofFolder, withPlace } from './shared/arguments.ts';
import { filesBelow, isLinked, makeFolder, readLocalJson } from './shared/local-file.ts';
import type { PlaceOptions } from './shared/place.ts';
import { answered, questions } from './shared/questions.ts';
import { type CommandResult, plainIndented, quoted, Refusal } from './shared/text.ts';

/** The name begins with a dot, because the file is not part of the package. */
const SCHEMA = '.order.schema.json';

const NOTHING = 'Nothing was written.';

export const addInit: AddCommand = (program, perform) =>
  ofFolder(program, 'init', 'ask for what a package needs, and write its order.json').action(
    withPlace(perform, init, 'here'),
  );

/** Asks for the data of a package, and writes `order.json` with the schema that editors validate it against. */
async function init(_place: PlaceOptions, folder: string): Promise<CommandResult> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new Refusal(
      'init asks questions, so it needs a terminal: nothing was written. examples/two-offers is a package to copy.',
    );
  }
  if ((await namesIn(folder)).includes('order.json')) throw hasPackage(folder);
  const { files, renamed } = await documentsIn(folder);
  const { order, ...content } = await askForPackage(files);
  // Written only after the last question, so that Ctrl-C leaves everything unchanged.
  await makeFolder(join(folder, 'documents'), 'nothing was written');
  for (const [file, name] of renamed) await copyUnderName(folder, file, name);
  const { orderSchema } = await import('./init/order-schema.ts');
  await writeFile(join(folder, SCHEMA), `${JSON.stringify(orderSchema(), undefined, 2)}\n`);
  const written = orderJson({ $schema: `./${SCHEMA}`, order: '', ...content }, order);
  // Another file may have appeared since the questions began.
  await writeFile(join(folder, 'order.json'), written, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? hasPackage(folder) : error;
  });
  return {
    lines: [
      `Wrote ${join(folder, 'order.json')}. Complete it in an editor, then check it with "loan-orders lint ${quoted(folder)}".`,
      ...(files.length > 0 ? [] : [`Put the documents into ${join(folder, 'documents')} and name them in order.json.`]),
    ],
    json: { folder, documents: files },
  };
}

/** The text of `order.json`. The order data is unchanged, with every digit of a number. */
function orderJson(content: Record<string, unknown>, order: string): string {
  const place = randomUUID();
  const text = JSON.stringify({ ...content, order: place }, undefined, 2);
  return `${text.replace(`"${place}"`, () => order.trim().replaceAll('\n', '\n  '))}\n`;
}

/**
 * The documents of the folder, as `order.json` names them.
 * @returns `renamed`: files whose names are not allowed in a package, each with the name of its copy.
 * @throws Refusal if there are some and the user does not want copies.
 */
async function documentsIn(folder: string): Promise<{ files: string[]; renamed: (readonly [string, string])[] }> {
  const files = (await namesIn(join(folder, 'documents')))
    .filter((name) => !basename(name).startsWith('.'))
    .map((name) => `documents/${name}`);
  const links = (await Promise.all(files.map(async (file) => ((await isLinked(folder, file)) ? [file] : [])))).flat();
  if (links.length > 0)
    throw new Refusal(
      `${NOTHING} Links are not part of a package. Put the files themselves there: ${links.join(', ')}.`,
    );
  const unfit = files.filter((file) => !isFileName(file));
  if (unfit.length > 0) {
    const renamed = await fittingNames(unfit, files);
    const lines = renamed.map(([file, name]) => plainIndented(`  ${file} as ${name}`));
    const message = [
      'The names of these files cannot be in a package. Copy them under names that can? The files themselves stay in .originals/.',
      ...lines,
    ].join('\n');
    const { confirm } = await questions();
    if (!(await answered(confirm({ message, initialValue: false }), NOTHING))) {
      throw new Refusal(
        `${NOTHING} Rename the files: a name has A-Z a-z 0-9 . _ - only, and begins with a letter or digit.`,
      );
    }
    return { files: [...files.filter((file) => isFileName(file)), ...renamed.map(([, name]) => name)].sort(), renamed };
  }
  return { files, renamed: [] };
}

async function fittingNames(
  unfit: readonly string[],
  files: readonly string[],
): Promise<[file: string, name: string][]> {
  const { fittingFile } = await import('./shared/fitting-names.ts');
  const taken = new Set(files);
  return unfit.map((file) => {
    const { dir, name, ext } = parse(fittingFile(file));
    const free = [name || 'document', ...unfit.map((_, at) => `${name || 'document'}-${at + 2}`)]
      .map((one) => `${dir === '' ? 'documents' : dir}/${one}${ext}`)
      .find((one) => !taken.has(one)) as string;
    taken.add(free);
    return [file, free];
  });
}

/** Copies a file under its new name. Moves the original into a folder that is not part of the package. */
async function copyUnderName(folder: string, file: string, name: string): Promise<void> {
  const original = join(folder, '.originals', file);
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await mkdir(dirname(original), { recursive: true });
  await copyFile(join(folder, file), join(folder, name), constants.COPYFILE_EXCL);
  await rename(join(folder, file), original);
}

/** Empty for a missing folder. */
async function namesIn(folder: string): Promise<string[]> {
  return filesBelow(folder).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return [];
    throw new Refusal(`${folder} cannot be read as a folder (${code}): nothing was written.`);
  });
}

function hasPackage(folder: string): Refusal {
  return new Refusal(
    `${folder} has an order.json already, which was left as it is. Check it with "loan-orders lint ${quoted(folder)}".`,
  );
}

async function askForPackage(files: string[]): Promise<Omit<OrderPackage, '$schema' | 'order'> & { order: string }> {
  const order = await askForOrder();
  const documents: OrderPackage['documents'] = [];
  for (const file of files) documents.push(await askForDocument(file, documents.at(-1)));
  const signing = await askFor('Who signs the generated documents?', [
    ['external', 'our own signer, who uploads the signatures'],
    ['kms', 'the KMS key of the stage'],
  ]);
  const choose = await askFor('Who chooses among the offers?', [
    ['manual', 'our credit desk, with "loan-orders confirm"'],
    ['rule', 'a JSONata rule, of this package or of the stage'],
  ]);
  const placeholder = { file: 'documents/', entityId: '', sourceEntityId: '', docType: '' };
  return {
    order,
    documents: documents.length > 0 ? documents : [placeholder],
    ...(signing && { signing }),
    ...(choose && { offers: { choose } }),
  };
}

async function askForOrder(): Promise<string> {
  const { text } = await questions();
  const path = await answered(
    text({ message: 'A JSON file with the order data, as the order service wants it (empty: write it later)' }),
    NOTHING,
  );
  if (!path?.trim()) return '{}';
  const { text: content, value: order } = await readLocalJson(path, ': nothing was written');
  if (typeof order === 'object' && order !== null && !Array.isArray(order)) return content;
  throw new Refusal(`${path} does not hold a JSON object: nothing was written.`);
}

/** Suggests the values of the previous document: most documents of a package belong to one entity. */
async function askForDocument(file: string, before?: OrderPackage['documents'][number]) {
  const { text } = await questions();
  const ask = (message: string, initialValue = '') =>
    answered(
      text({
        message: `${file}: ${message}`,
        initialValue,
        validate: (value = '') => (value.trim() === '' ? 'The order service needs a value.' : undefined),
      }),
      NOTHING,
    );
  return {
    file,
    entityId: await ask('entityId', before?.entityId),
    sourceEntityId: await ask('sourceEntityId', before?.sourceEntityId),
    docType: await ask('docType, as the order service names it'),
  };
}

/** Undefined if the user chooses the stage's setting. */
async function askFor<Value extends string>(message: string, choices: [Value, string][]): Promise<Value | undefined> {
  const options = [['', 'as the stage says'], ...choices.map(([value, meaning]) => [value, `${value}: ${meaning}`])];
  const { select } = await questions();
  const chosen = await answered(
    select<string>({ message, options: options.map(([value = '', label = '']) => ({ value, label })) }),
    NOTHING,
  );
  return chosen === '' ? undefined : (chosen as Value);
}
