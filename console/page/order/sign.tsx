import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { OrderFacts, RefusedSignature, SignatureVerdict } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, CopyButton, Download, Notice, Section } from '../parts/controls.tsx';
import { ShownDocument, shownType } from '../parts/document.tsx';
import { type DroppedFile, DropZone } from '../parts/drop-zone.tsx';
import { size } from '../parts/format.ts';
import { useAnswer, useAsksBeforeLeaving } from '../parts/hooks.ts';
import { Outcome, useSent } from '../parts/sent.tsx';
import { addressOf, CallFailed, call } from '../state/call.ts';
import { stage } from '../state/stage.ts';

/** The most unsigned documents to list by name. */
const MOST_MISSING = 10;

/** A signature or a ZIP of them that was dropped onto the page and is not submitted yet. */
export interface Dropped {
  file: File;
  /** Absent while it is checked. */
  verdicts?: SignatureVerdict[];
  /** It was submitted. It may have arrived even if there was no answer. */
  isSent?: true;
}

/** The documents to sign, the missing signatures, and the drop zone for signatures. */
export function Sign({ facts, dropped, onDropped }: { facts: OrderFacts } & DroppedProps) {
  const { orderRef, toSign, signaturesRound, waitingFor, signing, status } = facts;
  const [viewed, setViewed] = useState<string>();
  const what = toSign.length > 0 ? 'signatures/refused' : undefined;
  const { answer: refused = [] } = useAnswer<RefusedSignature[]>(facts, what);
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
  return (
    <Section
      title={isWaiting ? words.title : words.signedTitle}
      anchor="sign"
      aside={<Download words={words.all} path={path} />}
    >
      {takesSignatures && <Missing documents={documents} />}
      <ul class="rows documents">
        {documents.map((document) => (
          <DocumentRow
            key={document.fileId}
            orderRef={orderRef}
            document={document}
            refused={isWaiting ? refused.find(({ fileId }) => fileId === document.fileId) : undefined}
            isViewed={viewed === document.fileId}
            onView={() => setViewed(viewed === document.fileId ? undefined : document.fileId)}
          />
        ))}
      </ul>
      {takesSignatures && <Signatures facts={facts} dropped={dropped} onDropped={onDropped} />}
      {!takesSignatures && notSent.length > 0 && <NotHandedIn dropped={notSent} onForget={() => onDropped([])} />}
      {takesSignatures && <CommandLine orderRef={orderRef} />}
    </Section>
  );
}

/** Lists the documents without a signature. */
function Missing({ documents }: { documents: RowProps['document'][] }) {
  const missing = documents.filter(({ hasSignature }) => !hasSignature);
  const names = missing.slice(0, MOST_MISSING).map(({ name }) => name);
  if (missing.length > names.length) names.push('…');
  const words = messages.value.sign;
  return missing.length === 0 ? (
    <Notice tone="good" words={words.allArrived} />
  ) : (
    <Notice tone="people" words={words.missing(missing.length, documents.length, names.join(', '))} />
  );
}

/** The command that signs the round with the partner's own program. */
function CommandLine({ orderRef }: { orderRef: string }) {
  const words = messages.value.sign;
  if (!stage.value) return null;
  const line = `npx loan-orders ${stage.value.options} sign ${orderRef} --with "my-signer {document} {signature}"`;
  return (
    <p class="faint">
      {words.withProgram} <code>{line}</code> <CopyButton words={words.copyLine} text={line} />
    </p>
  );
}

interface RowProps {
  orderRef: string;
  document: OrderFacts['toSign'][number] & { name: string };
  refused: RefusedSignature | undefined;
  isViewed: boolean;
  onView(): void;
}

function DocumentRow({ orderRef, document, refused, isViewed, onView }: RowProps) {
  const { fileId, name, round, contentType, sha256, isChanged, hasSignature } = document;
  const words = messages.value.sign;
  const address = `${addressOf(orderRef)}/documents/${encodeURIComponent(fileId)}?round=${round}`;
  const type = shownType(contentType);
  return (
    <li>
      <span>{name}</span>
      <span class="faint">
        {size(document.size)}, SHA-256 <code title={sha256}>{sha256.slice(0, 12)}…</code>
        {hasSignature && `, ${words.arrived}`}
      </span>
      <span class="buttons">
        <CopyButton words={words.copyDigest} text={sha256} />
        {type !== undefined && (
          <button type="button" aria-expanded={isViewed} onClick={onView}>
            {isViewed ? words.hide : words.view}
          </button>
        )}
        <Download words={words.download} path={address} />
      </span>
      <Notice tone="people" words={isChanged ? words.changed : undefined} />
      <Notice words={refused && messages.value.rejectedSignature(refused)} />
      {isViewed && type !== undefined && (
        <ShownDocument key={sha256} name={name} type={type} size={document.size} source={address} />
      )}
    </li>
  );
}

interface DroppedProps {
  dropped: Dropped[];
  onDropped(next: Dropped[] | ((known: Dropped[]) => Dropped[])): void;
}

/** Accepts signatures, shows the gate's verdict on each, and submits those that passed. */
function Signatures({ facts, dropped, onDropped: setDropped }: { facts: OrderFacts } & DroppedProps) {
  const { orderRef, timeline } = facts;
  const words = messages.value.sign;
  const passed = dropped.filter(hasPassed);
  const count = countPassed(passed);
  const title = `${words.handIn(count)}: ${orderRef}`;
  const { act, came, isFree } = useSent({ what: 'signatures', title, orderRef, timeline, traces: count });
  const judge = async (file: File, isHandedIn: boolean): Promise<Dropped> => {
    const query = new URLSearchParams({ name: file.name, ...(isHandedIn && { handIn: 'yes' }) });
    return { file, verdicts: await call<SignatureVerdict[]>(`${addressOf(orderRef)}/signatures?${query}`, file) };
  };
  /** Checks all of them concurrently, and shows each verdict as it arrives. Earlier valid signatures are kept. */
  const check = (files: DroppedFile[]) => {
    setDropped((known) => [...known.filter(hasPassed), ...files.map(({ file }) => ({ file }))]);
    for (const { file } of files)
      judge(file, false)
        .catch((error: CallFailed) => refusedFile(file, error.message))
        .then((one) => replace(file, one));
  };
  useAsksBeforeLeaving(passed.length > 0 ? words.leave : undefined);
  const replace = (file: File, by: Dropped | undefined) =>
    setDropped((known) => known.flatMap((one) => (one.file === file ? (by ?? []) : one)));
  const handIn = () => {
    const done: Dropped[] = [];
    const work = async () => {
      setDropped((known) => known.filter((one) => !one.verdicts || hasPassed(one)));
      for (const one of passed) {
        const { file } = one;
        replace(file, { ...one, isSent: true });
        const answered = await judge(file, true).catch(({ status, message }: CallFailed) => {
          const names = done.map((other) => other.file.name).join(', ');
          throw new CallFailed(status, { error: status === 0 ? words.brokenOff(names, file.name) : message });
        });
        done.push(answered);
        replace(file, hasPassed(answered) ? undefined : answered);
      }
      return words.handedIn(countPassed(done));
    };
    act(work);
  };
  const isBusy = !isFree || dropped.some(({ verdicts }) => !verdicts);
  return (
    <>
      <DropZone label={words.drop} hint={words.dropHint} onFiles={check} />
      <div role="status">
        <Outcome one={came} />
        <Verdicts dropped={dropped} />
      </div>
      {passed.length > 0 && (
        <footer class="decide">
          <p class="faint">{words.does}</p>
          <Button words={words.handIn(count)} look="main" isDisabled={isBusy} onClick={handIn} />
        </footer>
      )}
    </>
  );
}

/** Signatures that were dropped before the order stopped accepting them. */
function NotHandedIn({ dropped, onForget }: { dropped: Dropped[]; onForget(): void }) {
  const words = messages.value.sign;
  return (
    <div role="status">
      <Notice words={words.notHandedIn} />
      <Verdicts dropped={dropped} />
      <Button words={words.forget} onClick={onForget} />
    </div>
  );
}

const Verdicts = ({ dropped }: Pick<DroppedProps, 'dropped'>) => (
  <ul class="rows">
    {dropped.map(({ file, verdicts }, position) => (
      <Fragment key={position}>
        {!verdicts && <li class="faint">{messages.value.sign.checking(file.name)}</li>}
        {verdicts?.map((verdict, at) => (
          <Verdict key={at} verdict={verdict} />
        ))}
      </Fragment>
    ))}
  </ul>
);

const refusedFile = (file: File, problem: string): Dropped => ({
  file,
  verdicts: [{ name: file.name, passed: false, problem }],
});

const countPassed = (dropped: Dropped[]) =>
  dropped.flatMap(({ verdicts = [] }) => verdicts).filter(({ passed }) => passed).length;

const hasPassed = (one: Dropped) => countPassed([one]) > 0;

function Verdict({ verdict }: { verdict: SignatureVerdict }) {
  const { name, passed, file = '', note, code } = verdict;
  const { sign, rejectedSignature } = messages.value;
  return (
    <li>
      <span class={`tone ${passed ? 'good' : code === 'leftOut' ? 'calm' : 'bad'}`}>{name}</span>
      <span>{passed ? sign.fits(file) : rejectedSignature(verdict)}</span>
      {note && <span class="faint">{rejectedSignature(note)}</span>}
    </li>
  );
}
