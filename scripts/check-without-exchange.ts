import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Ends each of the four lines that bring the obsolete bank exchange into the rest. */
const MARK = '// bank-exchange';
const MARKED = ['bin/app.ts', 'commands/program.ts', 'laptop/main.ts', 'test/infra/cloudformation.test.ts'];
const CHECKS = ['types', 'imports', 'synth'];
const PACKAGES = '@business-loan-orders';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Copies the tracked files to `copy`, without the folder of the exchange and without the marked lines. */
function copyWithoutExchange(copy: string): void {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files) {
    if (!/^(bank-exchange|stages\/legacy)\//.test(file)) cpSync(join(root, file), join(copy, file));
  }
  for (const file of MARKED) {
    const lines = readFileSync(join(copy, file), 'utf8').split('\n');
    const kept = lines.filter((line) => !line.endsWith(MARK));
    if (kept.length !== lines.length - 1) throw new Error(`${file} must have one line that ends in "${MARK}".`);
    writeFileSync(join(copy, file), kept.join('\n'));
  }
}

/** Links each installed package, and the copy's own workspaces. One link to the whole folder would share its caches. */
function linkPackages(copy: string): void {
  mkdirSync(join(copy, 'node_modules', PACKAGES), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '.cache' || name === PACKAGES) continue;
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  }
  for (const name of readdirSync(join(copy, 'packages'))) {
    symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules', PACKAGES, name));
  }
}

const copy = mkdtempSync(join(tmpdir(), 'without-exchange-'));
try {
  copyWithoutExchange(copy);
  linkPackages(copy);
  const failed = CHECKS.filter(
    (check) => spawnSync('npm', ['run', check], { cwd: copy, stdio: 'inherit' }).status !== 0,
  );
  if (failed.length > 0) {
    process.stderr.write(`Without bank-exchange/ and its four lines these fail: ${failed.join(', ')}.\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
