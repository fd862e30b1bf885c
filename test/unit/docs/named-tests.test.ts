import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const project = new URL('../../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, project), 'utf8');
const documents = [
  ...readdirSync(new URL('docs/', project)).map((name) => `docs/${name}`),
  ...readdirSync(project),
].filter((name) => name.endsWith('.md'));

/** A file of tests, and the titles in quotes after it. */
const NAMED = /`(test\/[^`\s]+\.test\.ts)`((?:,? "[^"|]+")*)/g;

interface NamedTest {
  file: string;
  title?: string;
}

function namedTests(document: string): NamedTest[] {
  return [...read(document).matchAll(NAMED)].flatMap(([, file = '', rest = '']) => {
    const titles = [...rest.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title);
    return titles.length === 0 ? [{ file }] : titles.map((title) => ({ file, title }));
  });
}

test.each(documents)('every test that %s names exists', (document) => {
  const missing = namedTests(document).filter(
    ({ file, title }) => !existsSync(new URL(file, project)) || (title !== undefined && !read(file).includes(title)),
  );
  expect(missing).toEqual([]);
});
