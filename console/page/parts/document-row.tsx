import type { OrderFacts, RefusedSignature } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { addressOf } from '../state/call.ts';
import { CopyButton, Download, Notice } from './controls.tsx';
import { ShownDocument, shownType } from './document.tsx';
import { size } from './format.ts';

/** The most documents without a signature to list by name. */
const MOST_MISSING = 10;

/** Names the documents without a signature; undefined if there are none. */
export function missingWords(documents: OrderFacts['toSign']): string | undefined {
  const missing = documents.filter(({ hasSignature }) => !hasSignature);
  if (missing.length === 0) return undefined;
  const names = missing.slice(0, MOST_MISSING).map(({ name, fileId }) => name ?? fileId);
  if (missing.length > names.length) names.push('…');
  return messages.value.sign.missing(missing.length, documents.length, names.join(', '));
}

interface Props {
  orderRef: string;
  document: OrderFacts['toSign'][number];
  refused: RefusedSignature | undefined;
  isOpen: boolean;
  /** It was opened before. */
  isViewed?: boolean;
  onOpen(): void;
}

/** A document to sign: its facts, the service's words about its signature, and the document itself when it is open. */
export function DocumentRow({ orderRef, document, refused, isOpen, isViewed, onOpen }: Props) {
  const { fileId, name = fileId, round, contentType, sha256, isChanged, hasSignature } = document;
  const words = messages.value.sign;
  const address = `${addressOf(orderRef)}/documents/${encodeURIComponent(fileId)}?round=${round}`;
  const type = shownType(contentType);
  return (
    <li aria-current={isOpen}>
      <span>{name}</span>
      <span class="faint">
        {size(document.size)}
        {hasSignature && `, ${words.arrived}`}
        {isViewed && `, ${messages.value.desk.viewed}`}
      </span>
      <span class="buttons">
        {type !== undefined && (
          <button type="button" aria-expanded={isOpen} onClick={onOpen}>
            {isOpen ? words.hide : words.view}
          </button>
        )}
        <Download words={words.download} path={address} />
        <CopyButton words={words.copyDigest} text={sha256} />
      </span>
      <Notice tone="people" words={isChanged ? words.changed : undefined} />
      <Notice words={refused && messages.value.rejectedSignature(refused)} />
      {isOpen && type !== undefined && (
        <ShownDocument key={sha256} name={name} type={type} size={document.size} source={address} />
      )}
    </li>
  );
}
