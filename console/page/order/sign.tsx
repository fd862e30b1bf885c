import { useState } from 'preact/hooks';
import type { OrderFacts, RefusedSignature, SignatureVerdict } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, Notice, Section } from '../parts/controls.tsx';
import { CameNotices, useAct } from '../parts/dialog.tsx';
import { type DroppedFile, DropZone } from '../parts/drop-zone.tsx';
import { size } from '../parts/format.ts';
import { useAnswer } from '../parts/hooks.ts';
import { addressOf, call } from '../state/call.ts';
import { Pdf } from './pdf.tsx';

interface Dropped {
  file: File;
  verdict: SignatureVerdict;
}

/** The documents to sign, and the place where signatures are dropped. */
export function Sign({ facts }: { facts: OrderFacts }) {
  const { orderRef, toSign, signaturesRound, waitingFor, signing, status } = facts;
  const [viewed, setViewed] = useState<string>();
  const path = toSign.length > 0 ? 'signatures/refused' : undefined;
  const { answer: refused = [] } = useAnswer<RefusedSignature[]>(facts, path);
  const words = messages.value.sign;
  if (toSign.length === 0) return null;
  const isWaiting =
    waitingFor === 'signatures' ||
    (status === 'WAITING_FOR_SIGNATURE' && signing === 'external' && waitingFor === 'operator');
  const documents = toSign
    .filter(({ round }) => round === signaturesRound)
    .map((document) => ({ ...document, name: document.name ?? document.fileId }))
    .sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
  const archive = (
    <a class="button" href={`${addressOf(orderRef)}/documents.zip?round=${signaturesRound}`} download>
      {words.all}
    </a>
  );
  return (
    <Section title={isWaiting ? words.title : words.signedTitle} aside={archive}>
      <ul class="rows documents">
        {documents.map((document) => (
          <DocumentRow
            key={document.fileId}
            orderRef={orderRef}
            document={document}
            problem={isWaiting ? refused.find(({ fileId }) => fileId === document.fileId)?.problem : undefined}
            isViewed={viewed === document.fileId}
            onView={() => setViewed(viewed === document.fileId ? undefined : document.fileId)}
          />
        ))}
      </ul>
      {isWaiting && signing === 'external' && <Signatures orderRef={orderRef} />}
    </Section>
  );
}

interface RowProps {
  orderRef: string;
  document: OrderFacts['toSign'][number] & { name: string };
  problem: string | undefined;
  isViewed: boolean;
  onView(): void;
}

function DocumentRow({ orderRef, document, problem, isViewed, onView }: RowProps) {
  const { fileId, name, round, contentType, sha256, isChanged, hasSignature } = document;
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
  const { act, came } = useAct();
  const words = messages.value.sign;
  const judge = async (file: File, isHandedIn: boolean): Promise<Dropped> => {
    const query = new URLSearchParams({ name: file.name, ...(isHandedIn && { handIn: 'yes' }) });
    return { file, verdict: await call<SignatureVerdict>(`${addressOf(orderRef)}/signatures?${query}`, file) };
  };
  const check = (files: DroppedFile[]) =>
    act(async () => {
      const found: Dropped[] = [];
      for (const { file } of files) found.push(await judge(file, false));
      setDropped(found);
      return undefined;
    });
  const passed = dropped.filter(({ verdict }) => verdict.passed);
  const handIn = () => {
    const done: Dropped[] = [];
    const work = async () => {
      for (const { file } of passed) {
        done.push(await judge(file, true));
        setDropped((known) => known.filter((one) => one.file !== file));
      }
      setDropped([]);
      return words.handedIn(done.filter(({ verdict }) => verdict.passed).length);
    };
    const names = () => done.map(({ file }) => file.name).join(', ');
    return act(work, () => words.brokenOff(names(), passed[done.length]?.file.name ?? ''));
  };
  return (
    <>
      <DropZone label={words.drop} hint={words.dropHint} onFiles={check} />
      <div role="status">
        <CameNotices came={came} />
        <ul class="rows">
          {dropped.map(({ verdict: { name, passed: isValid, file = '', problem = '', note } }, position) => (
            <li key={position}>
              <span class={`tone ${isValid ? 'good' : 'bad'}`}>{name}</span>
              <span>{isValid ? words.fits(file) : messages.value.refusal(problem)}</span>
              {note !== undefined && <span class="faint">{note}</span>}
            </li>
          ))}
        </ul>
      </div>
      {passed.length > 0 && (
        <footer class="decide">
          <p class="faint">{words.does}</p>
          <Button words={words.handIn(passed.length)} look="main" isDisabled={came.isBusy} onClick={handIn} />
        </footer>
      )}
    </>
  );
}
