import { useState } from 'preact/hooks';
import type { OrderFacts, RefusedSignature } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { CopyButton, Download, Notice, Section } from '../parts/controls.tsx';
import { DocumentRow, missingWords } from '../parts/document-row.tsx';
import { useAnswer } from '../parts/hooks.ts';
import { type DroppedProps, NotHandedIn, Signatures } from '../parts/signatures.tsx';
import { addressOf } from '../state/call.ts';
import { stage } from '../state/stage.ts';

/** The documents to sign, the missing signatures, and the drop zone for signatures. */
export function Sign({ facts, dropped, onDropped }: { facts: OrderFacts } & DroppedProps) {
  const { orderRef, toSign, signaturesRound, waitingFor, signing, status, timeline } = facts;
  const [viewed, setViewed] = useState<string>();
  const what = toSign.length > 0 ? 'signatures/refused' : undefined;
  const { facts: refused = [] } = useAnswer<RefusedSignature[]>(facts, what);
  const words = messages.value.sign;
  if (toSign.length === 0) return null;
  const isWaiting =
    waitingFor === 'signatures' ||
    (status === 'WAITING_FOR_SIGNATURE' && signing === 'external' && waitingFor === 'operator');
  const documents = toSign
    .filter(({ round }) => round === signaturesRound)
    .map((document) => ({ ...document, name: document.name ?? document.fileId }))
    .sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
  const path = `${addressOf(orderRef)}/documents.zip?round=${signaturesRound}`;
  const takesSignatures = isWaiting && signing === 'external';
  const notSent = dropped.filter(({ isSent }) => !isSent);
  const address = `${addressOf(orderRef)}/signatures`;
  const missing = missingWords(documents);
  return (
    <Section
      title={isWaiting ? words.title : words.signedTitle}
      anchor="sign"
      aside={<Download words={words.all} path={path} />}
    >
      {takesSignatures && <Notice tone={missing ? 'people' : 'good'} words={missing ?? words.allArrived} />}
      <ul class="rows documents">
        {documents.map((document) => (
          <DocumentRow
            key={document.fileId}
            orderRef={orderRef}
            document={document}
            refused={isWaiting ? refused.find(({ fileId }) => fileId === document.fileId) : undefined}
            isOpen={viewed === document.fileId}
            onOpen={() => setViewed(viewed === document.fileId ? undefined : document.fileId)}
          />
        ))}
      </ul>
      {takesSignatures && (
        <Signatures address={address} deed={{ orderRef, timeline }} dropped={dropped} onDropped={onDropped} />
      )}
      {!takesSignatures && notSent.length > 0 && <NotHandedIn dropped={notSent} onForget={() => onDropped([])} />}
      {takesSignatures && <CommandLine orderRef={orderRef} />}
    </Section>
  );
}

/** The command that signs the round with the partner's own program. */
function CommandLine({ orderRef }: { orderRef: string }) {
  const words = messages.value.sign;
  if (!stage.value) return null;
  const line = `npx loan-orders ${stage.value.options} sign ${orderRef} --with "my-signer {document} {signature}"`;
  return (
    <details>
      <summary>{words.withProgram}</summary>
      <p>
        <code>{line}</code> <CopyButton words={words.copyLine} text={line} />
      </p>
    </details>
  );
}
