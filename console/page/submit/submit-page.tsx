import { useState } from 'preact/hooks';
import type { PackageCheck } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, FactList, Notice, Section } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { ShownDocument, shownType } from '../parts/document.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { form, size } from '../parts/format.ts';
import { useAsksBeforeLeaving, useTitle } from '../parts/hooks.ts';
import { sentOf } from '../parts/sent.tsx';
import { type LastLook, type PackageState, usePackage } from './use-package.ts';

export function SubmitPage() {
  const { state, add, rename, edit, lookAt, submit, forget } = usePackage();
  const [looked, setLooked] = useState<LastLook>();
  const words = messages.value.submit;
  useTitle(words.title);
  const { check, failed, isBusy = false, orderRef, drops } = state;
  const isSent = sentOf('submit', orderRef).some(({ end }) => end !== 'refused');
  useAsksBeforeLeaving(check && !isSent ? words.leave : undefined);
  const isFine = check !== undefined && check.problems.length === 0 && check.refused === undefined;
  const isReady = isFine && state.isChecked === true && !isBusy;
  return (
    <article class="order submit">
      <h1>{words.heading}</h1>
      <div role="status">
        <Notice words={failed} />
      </div>
      <DropZone
        label={check ? words.more : words.drop}
        hint={check ? words.moreHint : words.hint}
        isFolder={!check}
        onFiles={add}
      />
      {isBusy && !check && <p role="status">{words.reading}</p>}
      {check && (
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
          <Findings check={check} dropped={state.files} />
          {check.orderJson !== undefined && <Editor key={drops} text={check.orderJson} onEdit={edit} />}
          <footer class="decide">
            <p class="faint" role="status">
              {isBusy ? words.checking : words.does}
            </p>
            <Button words={words.another} isDisabled={isBusy} onClick={forget} />
            <Button
              words={words.submit(orderRef)}
              look="main"
              isDisabled={!isReady}
              onClick={() => setLooked(lookAt())}
            />
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

function Look({ orderRef, folder, later, check }: PackageState) {
  const words = messages.value.submit;
  const { files = [], unnamed = [] } = check ?? {};
  const notes = (path: string) => [later.has(path) && words.later, unnamed.includes(path) && words.unnamed];
  return (
    <>
      <FactList facts={Object.entries({ [words.orderRef]: orderRef, [words.folder]: folder || words.noFolder })} />
      <p>{form(files.length, words.files)}:</p>
      <ul>
        {files.map(({ path }) => (
          <li key={path}>{[path, ...notes(path)].filter(Boolean).join(', ')}</li>
        ))}
      </ul>
      <p>{words.does}</p>
    </>
  );
}

interface FindingsProps {
  check: PackageCheck;
  dropped: PackageState['files'];
}

function Findings({ check: { files, problems, unnamed, refused }, dropped }: FindingsProps) {
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
                  <code>{found.path}</code>
                  <span>{problem}</span>
                  <span class="faint">{fix}</span>
                </li>
              );
            })}
          </ul>
        </div>
      </Section>
      <Section title={form(files.length, words.files)}>
        <ul class="rows files">
          {files.map(({ path, size: bytes }) => (
            <li key={path}>
              <span>
                {path}{' '}
                <span class="faint">
                  {size(bytes)}
                  {unnamed.includes(path) && `, ${words.unnamed}`}
                </span>
              </span>
              <OpenFile file={dropped.get(path)} />
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function OpenFile({ file }: { file: File | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const type = file && shownType(file.type);
  if (!file || type === undefined) return null;
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
  const [draft, setDraft] = useState(text);
  return (
    <label class="field">
      order.json
      <textarea
        class="mono"
        rows={Math.min(24, draft.split('\n').length + 1)}
        spellcheck={false}
        value={draft}
        onInput={({ currentTarget }) => {
          setDraft(currentTarget.value);
          onEdit(currentTarget.value);
        }}
      />
    </label>
  );
}
