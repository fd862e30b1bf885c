import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/json/canonical-json.ts';

export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The hash that a chain begins with: that of what its links are about. */
export function chainStart(about: object): string {
  return sha256Of(canonicalJson(about));
}

/** The hash of a link: that of the hash before it and its own content. So each hash fixes everything before it. */
export function nextHash(before: string, content: object): string {
  return sha256Of(`${before}\n${canonicalJson(content)}`);
}

/** A link with its hash. */
export type Linked<Content> = Content & { chain: string };

/** Adds to each link its hash. The last one is the chain's head. */
export function linked<Content extends object>(start: string, contents: readonly Content[]): Linked<Content>[] {
  let before = start;
  return contents.map((content) => {
    before = nextHash(before, content);
    return { ...content, chain: before };
  });
}

/** The positions of the links whose hash does not follow from the one before them. */
export function brokenLinks(start: string, links: readonly Linked<object>[]): number[] {
  let before = start;
  return links.flatMap(({ chain, ...content }, position) => {
    const isWhole = nextHash(before, content) === chain;
    before = chain;
    return isWhole ? [] : [position];
  });
}
