import { useEffect, useRef, useState } from 'preact/hooks';
import type { OrderFacts, SignatureVerdict, StageFacts, ToSignFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, Notice } from '../parts/controls.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { size } from '../parts/format.ts';
import { useAnswer } from '../parts/hooks.ts';
import { Section } from '../parts/section.tsx';
import { addressOf, askAgain, CallFailed, call, upload } from '../state/call.ts';
import { Pdf } from './pdf.tsx';

interface Dropped {
  file: File;
  verdict: SignatureVerdict;
}

/** The documents to sign, and the place where signatures are dropped. */
export function Sign({ facts, changed }: { facts: OrderFacts; changed: unknown }) {
  const { orderRef, toSign, signaturesRound, waitingFor, signing, status } = facts;
  const [viewed, setViewed] = useState<string>();
  const path = toSign.length > 0 ? `${addressOf(orderRef)}/signatures/refused` : undefined;
  const { answer } = useAnswer<{ refused: { fileId: string; problem: string }[] }>(path, changed);
  const words = messages.value.sign;
  if (toSign.length === 0) return null;
  const isWaiting =
    waitingFor === 'signatures' ||
    (status === 'WAITING_FOR_SIGNATURE' && signing === 'external' && waitingFor === 'operator');
  const documents = toSign
    .filter(({ round }) => round === signaturesRound)
    .sort((one, other) =>
      (one.name ?? one.fileId).localeCompare(other.name ?? other.fileId, undefined, { numeric: true }),
    );
  return (
    <Section
      title={isWaiting ? words.title : words.signedTitle}
      wide
      aside={
        <a class="button" href={`${addressOf(orderRef)}/documents.zip?round=${signaturesRound}`} download>
          {words.all}
        </a>
      }
    >
      <ul class="rows documents">
        {documents.map((document) => (
          <DocumentRow
            key={document.fileId}
            orderRef={orderRef}
            document={document}
            problem={isWaiting ? answer?.refused.find(({ fileId }) => fileId === document.fileId)?.problem : undefined}
            isViewed={viewed === document.fileId}
            onView={() => setViewed(viewed === document.fileId ? undefined : document.fileId)}
          />
        ))}
      </ul>
      {isWaiting && signing === 'external' && <Signatures orderRef={orderRef} />}
    </Section>
  );
}

const namesOf = (signatures: Dropped[]) => signatures.map(({ file }) => file.name).join(', ');

interface RowProps {
  orderRef: string;
  document: ToSignFacts;
  problem: string | undefined;
  isViewed: boolean;
  onView(): void;
}

function DocumentRow({ orderRef, document, problem, isViewed, onView }: RowProps) {
  const { fileId, name = fileId, round, contentType, sha256, isChanged, hasSignature } = document;
  const words = messages.value.sign;
  const address = `${addressOf(orderRef)}/documents/${encodeURIComponent(fileId)}?round=${round}`;
  const isShown = /^(image\/(png|jpeg|gif|webp)|text\/plain|application\/pdf)\b/.test(contentType);
  return (
    <li>
      <span>{name}</span>
      <span class="faint">
        {size(document.size)}, SHA-256 <code title={sha256}>{sha256.slice(0, 12)}…</code>
        {hasSignature && `, ${words.arrived}`}
      </span>
      <span class="buttons">
        {isShown && (
          <button type="button" aria-expanded={isViewed} onClick={onView}>
            {isViewed ? words.hide : words.view}
          </button>
        )}
        <a class="button" href={address} download>
          {words.download}
        </a>
      </span>
      <Notice tone="people" words={isChanged ? words.changed : undefined} />
      <Notice words={problem} />
      {isViewed &&
        (contentType.startsWith('application/pdf') ? (
          <Pdf key={sha256} name={name} address={address} size={document.size} />
        ) : (
          <iframe title={name} src={`${address}&view=yes`} sandbox="" referrerpolicy="no-referrer" />
        ))}
    </li>
  );
}

/** Takes signatures, shows what the gate says of each, and hands in those that passed. */
function Signatures({ orderRef }: { orderRef: string }) {
  const [dropped, setDropped] = useState<Dropped[]>([]);
  const [state, setState] = useState<{ isBusy?: boolean; said?: string; failed?: string }>({});
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const words = messages.value.sign;
  const judge = async (file: File, isHandedIn: boolean): Promise<Dropped> => {
    const query = new URLSearchParams({ name: file.name, ...(isHandedIn && { handIn: 'yes' }) });
    return { file, verdict: await upload<SignatureVerdict>(`${addressOf(orderRef)}/signatures?${query}`, file) };
  };
  const all = async (files: { file: File }[], isHandedIn: boolean) => {
    setState({ isBusy: true });
    const found: Dropped[] = [];
    try {
      for (const { file } of files) found.push(await judge(file, isHandedIn));
      setDropped(isHandedIn ? [] : found);
      setState(isHandedIn ? { said: words.handedIn(found.filter(({ verdict }) => verdict.passed).length) } : {});
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      const isBroken = error.status === 0;
      const failed =
        isBroken && isHandedIn ? words.brokenOff(namesOf(found), files[found.length]?.file.name ?? '') : error.message;
      if (isHandedIn) setDropped((known) => known.filter(({ file }) => !found.some((done) => done.file === file)));
      setState({ failed, isBusy: isBroken });
      if (!isBroken) return;
      await askAgain(() => call<StageFacts>('/api/stage'), stop.current.signal);
      setState({ failed });
    }
  };
  const passed = dropped.filter(({ verdict }) => verdict.passed);
  return (
    <>
      <DropZone label={words.drop} hint={words.dropHint} onFiles={(files) => all(files, false)} />
      <div role="status">
        <Notice tone="good" words={state.said} />
        <Notice words={state.failed} />
        <ul class="rows">
          {dropped.map(({ verdict }, position) => (
            <li key={position}>
              <span class={`tone ${verdict.passed ? 'good' : 'bad'}`}>{verdict.name}</span>
              <span>
                {verdict.passed ? words.fits(verdict.file ?? '') : messages.value.refusal(verdict.problem ?? '')}
              </span>
              {verdict.note !== undefined && <span class="faint">{verdict.note}</span>}
            </li>
          ))}
        </ul>
      </div>
      {passed.length > 0 && (
        <footer class="decide">
          <p class="faint">{words.does}</p>
          <Button
            words={words.handIn(passed.length)}
            look="main"
            isDisabled={state.isBusy}
            onClick={() => all(passed, true)}
          />
        </footer>
      )}
    </>
  );
}
