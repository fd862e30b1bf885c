import manifest from '../package.json' with { type: 'json' };

/** What `--version` prints. A built file names the commit that it was built from: scripts/build-command-line.ts puts it in. */
export function versionLine(commit = process.env.LOAN_ORDERS_COMMIT): string {
  return `loan-orders ${manifest.version}${commit ? ` (commit ${commit})` : ''}`;
}
