import { Argument, type Command } from 'commander';
import type { Perform } from './arguments.ts';
import { SHELLS, type Shell } from './completion/scripts.ts';
import { plain } from './text.ts';

const HELP = `
Load the script in the file that your shell reads when it starts:
  bash  ~/.bashrc                     eval "$(loan-orders completion bash)"
  zsh   ~/.zshrc                      eval "$(loan-orders completion zsh)"
  fish  ~/.config/fish/config.fish    loan-orders completion fish | source`;

/** The commands that let a shell complete what is typed. */
export function addCompletionCommands(program: Command, perform: Perform): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) =>
      perform(async () => {
        const script = (await import('./completion/scripts.ts')).completionScripts[shell];
        return { lines: [script], json: { shell, script } };
      }, 'here'),
    );
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) =>
      perform(async () => {
        const { words: found, paths } = (await import('./completion/words.ts')).complete(program, words);
        const lines = found.map(({ word, description }) => `${word}\t${plain(description)}`);
        return { lines: paths ? [...lines, `:${paths}`] : lines, json: { words: found, paths } };
      }, 'here'),
    );
}
