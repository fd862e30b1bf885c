import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { PackageCheck } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, FactList, Notice, Section } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { ShownDocument, shownType } from '../parts/document.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { form, placeWords, size } from '../parts/format.ts';
import { useAsksBeforeLeaving, useTitle } from '../parts/hooks.ts';
import { sentOf } from '../parts/sent.tsx';
import { orders } from '../state/stage.ts';
import { type PackageState, usePackage } from './use-package.ts';

export function SubmitPage() {
  const { state, add, openAgain, rename, edit, submit, forget } = usePackage();
  const { again } = useLocation().query;
  const opened = useOpened(again, openAgain);
  const [looked, setLooked] = useState<PackageState>();
  const words = messages.value.submit;
  useTitle(words.title);
  const { check, failed, isChecked = false, orderRef, files, wanted, text } = state;
  const isHere = files.size > 0;
  const isSent = sentOf('submit', orderRef).some(({ end }) => end !== 'refused');
  useAsksBeforeLeaving(isHere && !isSent ? words.leave : undefined);
  const isFine = check !== undefined && check.problems.length === 0 && check.refused === undefined;
  const isReady = isFine && isChecked;
  const isBusy = isHere && !isChecked && failed === undefined;
  return (
    <article class="order submit">
      <h1>{words.heading}</h1>
      <div role="status">
        <Notice words={failed ?? opened} />
        {again !== undefined && (
          <p class="notice people">
            <span>
              {words.again} <a href={`/orders/${again}`}>{again}</a>
            </span>
          </p>
        )}
        <Notice tone="people" words={wanted.length > 0 ? words.wanted(wanted.join(', ')) : undefined} />
      </div>
      <DropZone
        label={isHere ? words.more : words.drop}
        hint={wanted.length > 0 ? '' : isHere ? words.moreHint : words.hint}
        isFolder={!isHere}
        onFiles={add}
      />
      {isBusy && !check && <p role="status">{words.reading}</p>}
      {(check || wanted.length > 0) && (
        <>
          <label class="field">
            {words.orderRef}
            <input
              type="text"
              value={orderRef}
              spellcheck={false}
              onInput={({ currentTarget }) => rename(currentTarget.value)}
            />
          </label>
          <Notice tone="people" words={orders.value?.has(orderRef) && !isSent ? words.taken(orderRef) : undefined} />
          <Alike refs={check?.alike} orderRef={orderRef} />
          {check && <Findings check={check} files={files} />}
          {text !== undefined && <Editor text={text} onEdit={edit} />}
          <footer class="decide">
            <p class="faint" role="status">
              {isBusy ? words.checking : words.does}
            </p>
            <Button words={words.another} onClick={forget} />
            <Button words={words.submit(orderRef)} look="main" isDisabled={!isReady} onClick={() => setLooked(state)} />
          </footer>
        </>
      )}
      {looked && (
        <ActionDialog
          title={words.submit(looked.orderRef)}
          deed={{ what: 'submit', orderRef: looked.orderRef }}
          action={words.act}
          isReady={isReady}
          onAct={(tell) => submit(looked, tell)}
          onClose={() => setLooked(undefined)}
        >
          <Look {...looked} />
        </ActionDialog>
      )}
    </article>
  );
}

/** Opens the package of an earlier order once. Returns why it cannot be opened. */
function useOpened(again: string | undefined, open: (known: string) => Promise<void>): string | undefined {
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    if (again !== undefined) open(again).catch(({ message }: Error) => setFailed(message));
  }, [again]);
  return failed;
}

function Look({ orderRef, folder, later, files, check }: PackageState) {
  const words = messages.value.submit;
  const { unnamed = [] } = check ?? {};
  const notes = (path: string) => [later.has(path) && words.later, unnamed.includes(path) && words.unnamed];
  return (
    <>
      <FactList facts={Object.entries({ [words.orderRef]: orderRef, [words.folder]: folder || words.noFolder })} />
      <p>{form(files.size, words.files)}:</p>
      <ul>
        {[...files.keys()].sort().map((path) => (
          <li key={path}>{[path, ...notes(path)].filter(Boolean).join(', ')}</li>
        ))}
      </ul>
      <Alike refs={check?.alike} orderRef={orderRef} />
      <p>{words.does}</p>
    </>
  );
}

/** Two loans by mistake. */
function Alike({ refs = [], orderRef }: { refs?: string[] | undefined; orderRef: string }) {
  const others = refs.filter((one) => one !== orderRef);
  return (
    <Notice tone="people" words={others.length > 0 ? messages.value.submit.alike(others.join(', ')) : undefined} />
  );
}

interface FindingsProps {
  check: PackageCheck;
  files: PackageState['files'];
}

function Findings({ check: { problems, unnamed, refused }, files }: FindingsProps) {
  const words = messages.value.submit;
  const isFine = problems.length === 0 && refused === undefined;
  return (
    <div class="columns">
      <Section title={isFine ? words.fine : form(Math.max(1, problems.length), words.problems)}>
        <div role="status">
          <Notice words={refused} />
          {isFine && <p class="tone good">{words.does}</p>}
          <ul class="rows problems">
            {problems.map((found) => {
              const [problem, fix] = messages.value.problem(found).split('\n');
              return (
                <li key={`${found.path} ${found.problem}`}>
                  <code>{placeWords(found.path ?? '')}</code>
                  <span>{problem}</span>
                  <span class="faint">{fix}</span>
                </li>
              );
            })}
          </ul>
        </div>
      </Section>
      <Section title={form(files.size, words.files)}>
        <ul class="rows files">
          {[...files].sort().map(([path, file]) => (
            <li key={path}>
              <span>
                {path}{' '}
                <span class="faint">
                  {size(file.size)}
                  {unnamed.includes(path) && `, ${words.unnamed}`}
                </span>
              </span>
              <OpenFile file={file} />
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function OpenFile({ file }: { file: File }) {
  const [isOpen, setOpen] = useState(false);
  const type = shownType(file.type);
  if (type === undefined) return null;
  const { view, hide } = messages.value.sign;
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? hide : view}
      </button>
      {isOpen && <ShownDocument name={file.name} type={type} size={file.size} source={file} />}
    </>
  );
}

/** order.json. It is checked again shortly after each change. */
function Editor({ text, onEdit }: { text: string; onEdit(text: string): void }) {
  return (
    <label class="field">
      order.json
      <textarea
        class="mono"
        rows={Math.min(24, text.split('\n').length + 1)}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => onEdit(currentTarget.value)}
      />
    </label>
  );
}
