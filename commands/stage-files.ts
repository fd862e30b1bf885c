import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from '@clack/prompts';
import { allSettings, schemaOf } from '../infra/all-settings.ts';
import { allowedBy, readSettingsFile } from '../infra/settings-file.ts';
import {
  checkStageName,
  fileOfStage,
  isInEveryFolder,
  shown,
  stageNames,
  stagesFolder,
} from '../infra/stage-folder.ts';
import { deployedStageSchema, stageSchema } from '../infra/stage-settings.ts';
import { checkedStage } from '../infra/stages.ts';
import { makeFolder, refusalOfFile } from './local-file.ts';
import { answered, canAsk } from './questions.ts';
import { type Answer, columns, Refusal } from './text.ts';

const LONGEST_VALUE = 60;
const NOTHING = 'Nothing was written.';
const SCHEMA = fileURLToPath(new URL('../generated/stage.schema.json', import.meta.url));

type Value = string | boolean;

interface Question {
  message: string;
  /** The paths and values that an answer sets. */
  settings(answer: string): Record<string, Value>;
  isRequired?: true;
  /** What is wrong with an answer that may be one of several settings. */
  mistake?: string;
}

const one = (setting: string) => (answer: string) => ({ [setting]: answer });

/** Two groups: what no later deployment can change, and what one can. The keys are the options of the command. */
const QUESTIONS = {
  account: { message: 'AWS account, 12 digits (empty: that of the credentials)', settings: one('account') },
  region: { message: 'Region, such as eu-central-1 (empty: AWS_REGION)', settings: one('region') },
  encryption: {
    message: 'Key that encrypts the data: aws-managed, stack-key or the ARN of yours (empty: aws-managed)',
    settings: one('encryption'),
  },
  baseUrl: {
    message: 'Address of the order service, without /v1',
    settings: one('orderService.baseUrl'),
    isRequired: true,
  },
  authorizationUrl: {
    message: 'Address of its authorization service',
    settings: one('orderService.authorizationUrl'),
    isRequired: true,
  },
  keepData: {
    message: 'Do the data outlive the stack, true or false (empty: true)',
    settings: (answer: string) => ({ keepData: answer === 'true' || (answer === 'false' ? false : answer) }),
  },
  alarms: {
    message: 'Whom alarms notify: an e-mail address or the ARN of a topic (empty: nobody until somebody subscribes)',
    settings: (answer: string): Record<string, Value> =>
      answer.startsWith('arn:') ? { 'alarms.topicArn': answer } : { 'alarms.email': answer },
    mistake: 'must be an e-mail address or the ARN of an SNS topic',
  },
} satisfies Record<string, Question>;

type Name = keyof typeof QUESTIONS;
export type StageAnswers = { [One in Name]?: string };

/** For the check of one answer alone. */
const REQUIRED = { 'orderService.baseUrl': 'https://a.example', 'orderService.authorizationUrl': 'https://a.example' };
/** They come first, below a line that says so. */
const ONE_WAY: readonly Name[] = ['account', 'region', 'encryption'];
const WARNING = 'cannot be changed once orders are there';

/** `stage init <stage>`: asks what must be asked and writes the file of the stage. An option answers its question. */
export async function stageInit(name: string, given: StageAnswers): Promise<Answer> {
  checkStageName(name);
  const folder = stagesFolder();
  const path = join(folder, `${name}.yaml`);
  if (isInEveryFolder(name) || (existsSync(folder) && stageNames(folder).includes(name))) throw isThere(name, folder);
  const answers = await answersTo(given);
  await makeFolder(folder, 'nothing was written');
  // Another file may have appeared since the questions began.
  await writeFile(path, fileText(name, folder, answers), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? isThere(name, folder) : refusalOfFile(error, path, 'nothing was written');
  });
  return {
    lines: [`Wrote ${shown(path)}. See all its settings with "loan-orders stage explain ${name}".`],
    json: { stage: name, file: path },
  };
}

async function answersTo(given: StageAnswers): Promise<StageAnswers> {
  const answers: StageAnswers = {};
  for (const name of Object.keys(QUESTIONS) as Name[]) {
    const answer = given[name] ?? (canAsk() ? await ask(name) : '');
    const problem = problemWith(name, answer);
    if (problem !== undefined) throw new Refusal(`--${optionOf(name)} ${problem}: nothing was written.`);
    if (answer !== '') answers[name] = answer;
  }
  return answers;
}

async function ask(name: Name): Promise<string> {
  const { message } = QUESTIONS[name];
  const question = text({
    message: ONE_WAY.includes(name) ? `${message} – ${WARNING}` : message,
    validate: (answer = '') => problemWith(name, answer),
  });
  return (await answered(question, NOTHING)) ?? '';
}

/** What the schema says against an answer. */
function problemWith(name: Name, answer: string): string | undefined {
  const question: Question = QUESTIONS[name];
  if (answer === '') return question.isRequired ? 'is required' : undefined;
  const settings = question.settings(answer);
  const result = deployedStageSchema.safeParse(nested({ ...REQUIRED, ...settings }), { error: allowedBy });
  return result.error && (question.mistake ?? result.error.issues[0]?.message);
}

/** `{ 'a.b': 1 }` as `{ a: { b: 1 } }`. */
function nested(settings: Record<string, Value>): Record<string, Value | Record<string, Value>> {
  const result: Record<string, Value | Record<string, Value>> = {};
  for (const [setting, value] of Object.entries(settings)) {
    const [group = '', member] = setting.split('.');
    result[group] = member === undefined ? value : { ...(result[group] as object), [member]: value };
  }
  return result;
}

function fileText(name: string, folder: string, answers: StageAnswers): string {
  const settingsOf = (names: readonly Name[]) =>
    nested(
      Object.assign({}, ...names.map((one) => answers[one] !== undefined && QUESTIONS[one].settings(answers[one]))),
    );
  const isOneWay = (one: Name) => ONE_WAY.includes(one);
  const names = Object.keys(QUESTIONS) as Name[];
  const oneWay = linesOf(settingsOf(names.filter(isOneWay)));
  return [
    ...(existsSync(SCHEMA) ? [`# yaml-language-server: $schema=${relative(folder, SCHEMA)}`] : []),
    `# Stage ${name}: what differs from the defaults (docs/settings.md).`,
    '',
    ...(oneWay.length > 0 ? [`# This ${WARNING}:`, ...oneWay, ''] : []),
    ...linesOf(settingsOf(names.filter((one) => !isOneWay(one)))),
    '',
  ].join('\n');
}

/** A text in quotes is the same in YAML and in JSON. */
function linesOf(settings: object, indent = ''): string[] {
  return Object.entries(settings).flatMap(([key, value]) =>
    typeof value === 'object'
      ? [`${indent}${key}:`, ...linesOf(value, `${indent}  `)]
      : [`${indent}${key}: ${JSON.stringify(value)}`],
  );
}

/** `baseUrl` as `base-url`. */
const optionOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A file that exists, also one of the project that every folder has, is never replaced: it may hold comments. */
function isThere(name: string, folder: string): Refusal {
  const path = shown(fileOfStage(name, folder));
  return new Refusal(
    `Stage ${name} has the file ${path} already, which was left as it is. Edit it, or a copy in your own folder of stages.`,
  );
}

/** `stage explain <stage>`: every setting in force, and where it comes from. */
export async function stageExplain(name: string): Promise<Answer> {
  const file = readSettingsFile(fileOfStage(name, stagesFolder()));
  const stage: unknown = checkedStage(name, file);
  const rows = allSettings(schemaOf(stageSchema)).flatMap(({ name: setting, isGroup }) => {
    const path = setting.split('.');
    const value = path.reduce((part, key) => (part as Record<string, unknown> | undefined)?.[key], stage);
    const line = file.lineOf(path);
    const from = line === undefined ? 'default' : `${shown(file.path)}:${line}`;
    return isGroup || value === undefined ? [] : [{ setting, value, from }];
  });
  const table = rows.map(({ setting, value, from }) => [setting, short(value), from]);
  return { lines: columns([['SETTING', 'VALUE', 'FROM'], ...table]), json: rows };
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
