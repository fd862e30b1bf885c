import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import GithubSlugger from 'github-slugger';

/** The end of `[text](target)`, because the text may contain an image or brackets. */
const LINK = /\]\(([^)\s]+)\)/g;
const HEADING = /^#{1,6} +(.+?) *#*$/gm;
const ADDRESS = /^[a-z]+:/;

/**
 * Returns a line for each broken link in Markdown documents: to a missing file, folder or heading. Web addresses are not checked.
 * @param paths all files of the project, relative to its root.
 */
export function brokenLinks(paths: readonly string[], read: (path: string) => string): string[] {
  const documents = new Map(paths.filter((path) => path.endsWith('.md')).map((path) => [path, textOf(read(path))]));
  const anchors = new Map([...documents].map(([path, text]) => [path, anchorsOf(text)]));
  return [...documents].flatMap(([path, text]) =>
    linksOf(text).flatMap((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : posix.join(posix.dirname(path), decodeURI(file));
      if (!isThere(target, paths)) return [`${path}: ${link} is not a file of the project.`];
      if (anchor === undefined || !documents.has(target) || anchors.get(target)?.has(anchor)) return [];
      return [`${path}: ${link} is not a heading of ${target}.`];
    }),
  );
}

const textOf = (document: string) => document.replaceAll(/^ *```.*?^ *```/gms, '');

function linksOf(text: string): string[] {
  const prose = text.replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(LINK)].flatMap(([, link = '']) => (ADDRESS.test(link) ? [] : [link]));
}

function anchorsOf(text: string): Set<string> {
  const slugger = new GithubSlugger();
  // GitHub derives an anchor from the displayed text of the heading. For a link this is its text.
  const titles = [...text.matchAll(HEADING)].map(([, title = '']) => title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
  return new Set(titles.map((title) => slugger.slug(title)));
}

function isThere(target: string, paths: readonly string[]): boolean {
  const folder = target === '.' ? '' : target.replace(/\/?$/, '/');
  return paths.some((path) => path === target || path.startsWith(folder));
}

if (import.meta.main) {
  // Includes untracked files that git does not ignore, so documents can be checked before they are added.
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
  const paths = listed.split('\n').filter((path) => path !== '' && existsSync(path));
  const problems = brokenLinks(paths, (path) => readFileSync(path, 'utf8'));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
