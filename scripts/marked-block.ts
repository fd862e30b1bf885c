import { readFileSync, writeFileSync } from 'node:fs';

/** Replaces the text between `<!-- name: npm run generate -->` and `<!-- end of name -->`. */
export function withBlock(document: string, name: string, text: string): string {
  const block = new RegExp(`(<!-- ${name}: npm run generate -->\n).*?(<!-- end of ${name} -->)`, 's');
  if (!block.test(document)) throw new Error(`The document has no block "${name}".`);
  return document.replace(block, (_block, begin: string, end: string) => `${begin}\n${text}\n\n${end}`);
}

export function rewrite(path: URL, change: (document: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}
