import { expect, test } from 'vitest';
import { brokenLinks } from '../../../scripts/check-links.ts';

function brokenIn(files: Record<string, string>): string[] {
  return brokenLinks(Object.keys(files), (path) => files[path] ?? '');
}

test('links to files, folders and headings that are there are not reported', () => {
  const readme = [
    '# Read me',
    '[a](docs/a.md) [b](docs/a.md#the-code-of-a) [c](docs/) [d](#read-me) [e](https://example.org/x#y) [f](docs/a.md#twice-1)',
    '![picture](docs/picture.svg)',
  ].join('\n');
  const a = '## The `code` of [a](../README.md)\n## Twice\n## Twice\n[up](../README.md#read-me) [here](./)';
  expect(brokenIn({ 'README.md': readme, 'docs/a.md': a, 'docs/picture.svg': '' })).toEqual([]);
});

test('a link to a file that is not there is reported', () => {
  expect(brokenIn({ 'docs/a.md': 'See\n[b](b.md) and [c](../c/).', 'b.md': '' })).toEqual([
    'docs/a.md: b.md leads to no file of the project.',
    'docs/a.md: ../c/ leads to no file of the project.',
  ]);
});

test('a link to a heading that is not there is reported, also within the document', () => {
  const readme = '# One\n[a](docs/a.md#two) [b](#two)';
  expect(brokenIn({ 'README.md': readme, 'docs/a.md': '# One\n```sh\n# Two\n```' })).toEqual([
    'README.md: docs/a.md#two names no heading of docs/a.md.',
    'README.md: #two names no heading of README.md.',
  ]);
});

test('what is in code is no link', () => {
  expect(brokenIn({ 'a.md': '`[a](b.md)`\n\n```md\n[a](b.md)\n```\n' })).toEqual([]);
});
