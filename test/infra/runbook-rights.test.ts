import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allowedTo, COMMANDS, RUNBOOK, statementsOf } from './people-policies.ts';

/** The actions of commands of the AWS CLI that are not named after their action. */
const CLI_ACTIONS: Record<string, string[]> = {
  's3 cp': ['s3:ListBucket', 's3:GetObject'],
  'lambda invoke': ['lambda:InvokeFunction'],
};

describe('the operations page', () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const found = (pattern: RegExp) => new Set([...page.matchAll(pattern)].map(([, name = '']) => name));

  test('asks for no command of the AWS CLI that the operator may not use', () => {
    const commands = [...found(/\baws ([a-z0-9]+ [a-z-]+)/g)];
    expect(commands.length).toBeGreaterThan(3);
    const allowed = allowedTo('operator');
    const needed = commands.flatMap((command) => CLI_ACTIONS[command] ?? [actionOf(command)]);
    expect(needed.filter((action) => !allowed.includes(action))).toEqual([]);
  });

  test('asks for nothing else that the operator may not do', () => {
    const allowed = allowedTo('operator');
    const missing = Object.entries(RUNBOOK).filter(([, actions]) => !actions.every((one) => allowed.includes(one)));
    expect(missing).toEqual([]);
  });

  test('names no command of ours that nobody has the rights for', () => {
    const commands = [...Object.values(COMMANDS).flat(), 'rule', 'simulator', 'submit'].map((file) =>
      file.split('/').at(-1),
    );
    expect(
      [...found(/\bloan-orders (?:--stage \w+ )?([a-z]+(?:-[a-z]+)*)/g)].filter((one) => !commands.includes(one)),
    ).toEqual([]);
  });
});

/** `logs filter-log-events` is the action `logs:FilterLogEvents`. */
function actionOf(command: string): string {
  const [service = '', name = ''] = command.split(' ');
  return `${service}:${name.replaceAll(/(?:^|-)([a-z])/g, (_all, letter: string) => letter.toUpperCase())}`;
}

test('the operator reads the pages of staging that the operations page names, and no document or offer', () => {
  const read = statementsOf('operator').find(({ Action }) => Action === 's3:GetObject');
  const patterns = JSON.stringify(read?.Resource).match(/(?<=\/orders\/\*\/)[^"]+/g);
  expect(patterns?.sort()).toEqual(['choices.json', 'errors/*', 'issues.json', 'snapshot.json', 'status.json'].sort());
});
