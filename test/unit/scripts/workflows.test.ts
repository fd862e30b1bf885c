import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { validate } from '@actions/languageservice';
import { describe, expect, test } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { parse } from 'yaml';

const folder = new URL('../../../.github/workflows/', import.meta.url);
const files = readdirSync(folder);

interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, { permissions?: Record<string, string>; steps: { uses?: string; run?: string }[] }>;
}

/** What GitHub's own linter says. It keeps what it said of an address, so each text has another one. */
async function findings(text: string): Promise<string[]> {
  const document = TextDocument.create(`file:///.github/workflows/${randomUUID()}.yml`, 'yaml', 1, text);
  return (await validate(document)).map(({ message }) => (typeof message === 'string' ? message : message.value));
}

describe.each(files)('the workflow %s', (name) => {
  const text = readFileSync(new URL(name, folder), 'utf8');
  const { permissions, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test('has no findings of the linter', async () => {
    expect(await findings(text)).toEqual([]);
  });

  test('names each action by its commit, with the version beside it', () => {
    const used = text.match(/uses: .*/g) ?? [];
    for (const line of used) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(used).toHaveLength(steps.filter(({ uses }) => uses).length);
  });

  test('may only read, and a job that may write runs no code of the commit', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const { permissions: more = {}, steps: own } of Object.values(jobs)) {
      const writes = Object.entries(more).flatMap(([right, access]) => (access === 'write' ? [right] : []));
      // Without an action, a job has no code of the commit.
      if (writes.length === 0 || own.every(({ uses }) => uses === undefined)) continue;
      const allowed =
        /^(npm ci --ignore-scripts|npx cdk (diff|deploy) --app cdk\.out\b[\w -]*|gh release create .*|npx --yes npm@[\d.]+ publish \S+\.tgz .*--ignore-scripts)$/;
      for (const { run } of own) if (run !== undefined) expect(run).toMatch(allowed);
    }
  });

  test('puts nothing that others wrote into a command', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });
});
