import type { Argument, Command, Option } from 'commander';
import { stageNames } from '../../infra/stage-folder.ts';

/** What the user may type next. */
export interface Completion {
  words: { word: string; description: string }[];
  /** What the shell completes by itself. */
  paths?: 'files' | 'folders';
}

/** The place of the last word in the command line. */
interface Position {
  command: Command;
  /** Arguments of the command before it. */
  given: number;
  /** The option whose value it is. */
  option?: Option;
  /** After `--` there are no options. */
  onlyArguments: boolean;
}

/**
 * Completes the last of the words that follow the program's name, which may be empty. The words come from the program's own commands
 * and options.
 */
export function complete(program: Command, words: readonly string[]): Completion {
  // bash splits --stage=prod at the equals sign, into three words.
  const [current = '', ...before] = words.map((word) => (word === '=' ? '' : word)).reverse();
  const { command, given, option, onlyArguments } = positionAfter(program, words.slice(0, before.length));
  if (option) return matching(valuesOf(option, option.flags), current);
  if (onlyArguments || !current.startsWith('-')) return matching(operandsOf(command, given), current);
  const [name = '', value] = current.split(/=(.*)/s);
  const valued = value === undefined ? undefined : optionsOf(command).find(({ long }) => long === name);
  if (!valued) return matching({ words: optionsOf(command).map(wordOf) }, current);
  const { words: values, ...paths } = valuesOf(valued, valued.flags);
  return matching(
    { words: values.map(({ word }) => ({ word: `${name}=${word}`, description: '' })), ...paths },
    current,
  );
}

function positionAfter(program: Command, words: readonly string[]): Position {
  let position: Position = { command: program, given: 0, onlyArguments: false };
  for (const word of words) if (word !== '=') position = moved(position, word);
  return position;
}

function moved({ option, ...position }: Position, word: string): Position {
  const { command, given, onlyArguments } = position;
  if (option) return position;
  if (!onlyArguments && word === '--') return { ...position, onlyArguments: true };
  if (!onlyArguments && word.startsWith('-')) {
    const named = optionsOf(command).find(({ long }) => long === word);
    return named && (named.required || named.optional) ? { ...position, option: named } : position;
  }
  const next = given === 0 ? command.commands.find((one) => one.name() === word) : undefined;
  return next ? { ...position, command: next } : { ...position, given: given + 1 };
}

/** The options of a command and those of the program, which every command takes. */
function optionsOf(command: Command): Option[] {
  const own = command.createHelp().visibleOptions(command);
  const inherited = command.parent ? optionsOf(command.parent) : [];
  const names = new Set(own.map(({ long }) => long));
  return [...own, ...inherited.filter(({ long }) => !names.has(long) && long !== '--version')];
}

function operandsOf(command: Command, given: number): Completion {
  if (command.commands.length > 0) {
    const commands = given === 0 ? command.createHelp().visibleCommands(command) : [];
    return { words: commands.map((one) => ({ word: one.name(), description: one.description() })) };
  }
  const operands = command.registeredArguments;
  const last = operands.at(-1);
  const argument = operands[given] ?? (last?.variadic ? last : undefined);
  if (argument) return valuesOf(argument, argument.name());
  return { words: optionsOf(command).map(wordOf) };
}

/** The choices of an option or an argument. Without choices, its name shows whether it is a path. */
function valuesOf({ argChoices }: Pick<Option | Argument, 'argChoices'>, name: string): Completion {
  if (argChoices) return { words: argChoices.map((word) => ({ word, description: '' })) };
  if (/<stage>/.test(name)) return { words: stages().map((word) => ({ word, description: '' })) };
  if (/\bfolder\b/.test(name)) return { words: [], paths: 'folders' };
  return { words: [], ...(/\bfile\b|[.]json\b/.test(name) && { paths: 'files' }) };
}

/** A folder that cannot be read has no stages to choose from. */
function stages(): string[] {
  try {
    return stageNames();
  } catch {
    return [];
  }
}

function wordOf({ long, description }: Option): Completion['words'][number] {
  return { word: long ?? '', description };
}

function matching({ words, ...paths }: Completion, current: string): Completion {
  return { words: words.filter(({ word }) => word.startsWith(current)), ...paths };
}
