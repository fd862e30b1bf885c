import { expect, test } from 'vitest';
import { brokenLinks } from '../../../scripts/check-links.ts';

function brokenIn(files: Record<string, string>): string[] {
  return brokenLinks(Object.keys(files), (path) => files[path] ?? '');
}

test('a link to a file or a heading that is not there is reported, but not what is in code', () => {
  const readme = '# One\n[a](docs/a.md#two) [b](#two)\n`[a](b.md)`\n\n```md\n[a](b.md)\n```\n';
  expect(brokenIn({ 'README.md': readme, 'docs/a.md': 'See\n[b](b.md)\n```sh\n# Two\n```', 'b.md': '' })).toEqual([
    'README.md: docs/a.md#two is not a heading of docs/a.md.',
    'README.md: #two is not a heading of README.md.',
    'docs/a.md: b.md is not a file of the project.',
  ]);
});
