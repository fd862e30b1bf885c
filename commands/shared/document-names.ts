import { DOCUMENT_NUMBER, type WhatHappened } from '../../core/order/what-happened.ts';
import type { OrderDetails } from './order-details.ts';

/** The display name of a document to sign: the service's name, or its `fileId`. */
export function nameToSign({ toSign }: Pick<OrderDetails, 'toSign'>, fileId: string, round?: number): string {
  const staged = toSign.filter((document) => document.fileId === fileId);
  return (staged.find((document) => document.round === round) ?? staged.at(-1))?.name ?? fileId;
}

/** The document that an operation sends, or whose signature it sends. Undefined for any other operation. */
export function fileOf(details: Pick<OrderDetails, 'order' | 'toSign'>, operation: string): string | undefined {
  const [, position] = /^upload-document#\d+#(\d+)@/.exec(operation) ?? [];
  if (position !== undefined) return details.order.documents[Number(position)]?.file;
  const [, round, fileId] = /^upload-signature#(\d+)#(.+)@[^@]*$/s.exec(operation) ?? [];
  return fileId === undefined ? undefined : nameToSign(details, fileId, Number(round));
}

/** The cause of a failure with document names. `document number 2` means the documents to sign of the newest round. */
export function withNames(details: Pick<OrderDetails, 'order' | 'toSign'>, cause: string): string {
  const { fileIds, number } = details.order.rounds?.signatures ?? { fileIds: [], number: 0 };
  return cause.replaceAll(new RegExp(`${DOCUMENT_NUMBER}(\\d+)`, 'g'), (words, count: string) => {
    const fileId = fileIds[Number(count) - 1];
    return fileId === undefined ? words : `${words} ("${nameToSign(details, fileId, number)}")`;
  });
}

const NOT_REPLACED = 'Document not replaced: its newest version is empty, deleted, too large or unreadable';
const OF_PACKAGE: WhatHappened[] = ['Document replaced', NOT_REPLACED];

/**
 * The facts of a timeline line, with names instead of positions. The timeline counts from 1: documents of the package when one was
 * replaced, otherwise documents to sign.
 */
export function namedFact(
  details: Pick<OrderDetails, 'order' | 'toSign'>,
  what: string,
  [fact, value]: [string, string | number],
): string {
  const position = Number(value) - 1;
  if (fact === 'choice') return `offer ${details.order.decision.choices[position]?.offerId ?? value}`;
  if (fact !== 'document') return `${fact} ${value}`;
  const { documents, rounds } = details.order;
  if (OF_PACKAGE.some((line) => line === what)) return `document ${documents[position]?.file ?? value}`;
  const fileId = rounds?.signatures?.fileIds[position];
  return `document ${fileId === undefined ? value : nameToSign(details, fileId, rounds?.signatures?.number)}`;
}
