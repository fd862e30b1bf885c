import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const script = fileURLToPath(new URL('../../../.ci/lint-templates', import.meta.url));
const found = (program: string) =>
  spawnSync('bash', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim();
/** A template that names a property that queues do not have. */
const wrong = { Resources: { Queue: { Type: 'AWS::SQS::Queue', Properties: { Nam: 'orders' } } } };
const right = { Resources: { Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'orders' } } } };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lint-templates-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function lint(template: unknown, path = process.env.PATH) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'Stack.template.json'), JSON.stringify(template));
  const { status, stdout, stderr } = spawnSync(found('bash'), [script, folder], {
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });
  return { status, stdout, stderr };
}

test('without Python the templates are not checked, nothing fails, and a line says so', () => {
  const programs = temporaryFolder();
  for (const name of ['bash', 'mktemp', 'rm']) symlinkSync(found(name), join(programs, name));
  expect(lint(wrong, programs)).toEqual({
    status: 0,
    stdout: '',
    stderr: 'The templates were not checked with cfn-lint: there is no Python here.\n',
  });
});

test.skipIf(found('cfn-lint') === '')('a finding of cfn-lint fails and is shown', () => {
  const { status, stdout, stderr } = lint(wrong);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'cfn-lint has findings, listed above. Each names its rule, the template and the line.\n',
  });
  expect(stdout).toMatch(/^E3002 .*'Nam'/m);
  expect(lint(right)).toMatchObject({ status: 0, stdout: 'cfn-lint found nothing. Templates checked: 1.\n' });
});
