import { plain, some } from './text.ts';

/** A sentence about an order. Further lines are printed below it. */
export interface SaidOf {
  orderRef: string;
  said: string;
}

/** Lines of sentences about orders. One that fits several orders is printed once, with `<ref>` for the references below it. */
export function saidOnce(sentences: readonly SaidOf[]): string[] {
  const alike = new Map<string, SaidOf[]>();
  for (const one of sentences) {
    const sentence = withoutName(one.said, one.orderRef);
    alike.set(sentence, [...(alike.get(sentence) ?? []), one]);
  }
  return [...alike].flatMap(([sentence, group]) => {
    const [only] = group;
    const isAlone = only !== undefined && group.length === 1;
    const [first = '', ...others] = (isAlone ? only.said : sentence).split('\n').map(plain);
    if (!isAlone) others.push(group.map(({ orderRef }) => orderRef).join(', '));
    const head = isAlone ? only.orderRef : some(group.length, 'order');
    return [`  ${head}: ${first}`, ...others.map((line) => `    ${line}`)];
  });
}

/** The reference may be a part of another word. */
function withoutName(said: string, orderRef: string): string {
  const name = orderRef.replaceAll('.', '\\.');
  return said.replaceAll(new RegExp(`(?<![\\w.-])${name}(?![\\w-])`, 'g'), '<ref>');
}
