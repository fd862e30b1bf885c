import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PackageCheck } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, Notice, Section } from '../parts/controls.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { exactTime, form, size } from '../parts/format.ts';
import { useAsksBeforeLeaving, useTitle } from '../parts/hooks.ts';
import { FirstPage } from './first-page.tsx';
import { type PackageState, usePackage } from './use-package.ts';

export function SubmitPage() {
  const { state, add, rename, edit, submit, forget } = usePackage();
  const words = messages.value.submit;
  useTitle(words.title);
  const { check, progress, said, failed, isBusy = false, orderRef, unknown, drops } = state;
  const isLeft = check !== undefined && said === undefined && unknown === undefined;
  useAsksBeforeLeaving(isLeft ? words.leave : undefined);
  const isFine = check !== undefined && check.problems.length === 0 && check.refused === undefined;
  const isReady = isFine && state.isChecked && !isBusy && unknown?.isAnswered !== false;
  return (
    <article class="order submit">
      <h1>{words.heading}</h1>
      <div role="status">
        <Notice words={failed} />
        {unknown && <Unknown orderRef={orderRef} unknown={unknown} />}
        {said !== undefined && <Follow orderRef={orderRef} words={words.submitted(orderRef)} said={said} />}
      </div>
      {said !== undefined || unknown?.since !== undefined ? (
        <p>
          <Button words={words.another} onClick={forget} />
        </p>
      ) : (
        <>
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
                  disabled={progress !== undefined}
                  onInput={({ currentTarget }) => rename(currentTarget.value)}
                />
              </label>
              <Findings check={check} dropped={state.files} />
              {check.orderJson !== undefined && (
                <Editor key={drops} text={check.orderJson} isFixed={progress !== undefined} onEdit={edit} />
              )}
              <footer class="decide">
                <p class="faint" role="status">
                  {progressWords(state)}
                </p>
                {progress && (
                  <progress
                    value={progress.done}
                    max={Math.max(1, progress.total)}
                    aria-label={words.uploading(progress.name)}
                  />
                )}
                <Button words={words.submit(orderRef)} look="main" isDisabled={!isReady} onClick={submit} />
              </footer>
            </>
          )}
        </>
      )}
    </article>
  );
}

function progressWords({ progress, isBusy }: PackageState): string {
  const words = messages.value.submit;
  if (!progress) return isBusy ? words.checking : words.does;
  return progress.done < progress.total ? words.uploading(progress.name) : words.waiting;
}

/** A submission that broke off, and whether there is an order. */
function Unknown({ orderRef, unknown }: { orderRef: string; unknown: NonNullable<PackageState['unknown']> }) {
  const words = messages.value.submit;
  const { isAnswered, since } = unknown;
  if (since === undefined)
    return <Notice tone="people" words={isAnswered ? words.notThere(orderRef) : words.unknown(orderRef)} />;
  return <Follow orderRef={orderRef} words={words.there(orderRef, exactTime(since))} />;
}

/** There is an order. `said` is what the command said. */
function Follow({ orderRef, words, said }: { orderRef: string; words: string; said?: string }) {
  const link = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => link.current?.focus(), []);
  return (
    <div class="notice good">
      <p>{words}</p>
      {said !== undefined && (
        <p class="faint" lang="en">
          {said}
        </p>
      )}
      <p>
        <a ref={link} href={`/orders/${orderRef}`}>
          {messages.value.submit.follow}
        </a>
      </p>
    </div>
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
            {problems.map(({ path, problem, fix }) => (
              <li key={`${path} ${problem}`}>
                <code>{path}</code>
                <span>{messages.value.problem(problem)}</span>
                <span class="faint">{messages.value.problem(fix)}</span>
              </li>
            ))}
          </ul>
        </div>
      </Section>
      <Section title={form(files.length, words.files)}>
        <ul class="rows files">
          {files.map(({ path, size: bytes }) => (
            <li key={path}>
              {path !== 'order.json' && <FirstPage path={path} file={dropped.get(path)} />}
              <span>
                {path}{' '}
                <span class="faint">
                  {size(bytes)}
                  {unnamed.includes(path) && `, ${words.unnamed}`}
                </span>
              </span>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

/** order.json, which is checked again a moment after it was changed. */
function Editor({ text, isFixed, onEdit }: { text: string; isFixed: boolean; onEdit(text: string): void }) {
  const [draft, setDraft] = useState(text);
  return (
    <label class="field">
      order.json
      <textarea
        class="mono"
        rows={Math.min(24, draft.split('\n').length + 1)}
        spellcheck={false}
        value={draft}
        disabled={isFixed}
        onInput={({ currentTarget }) => {
          setDraft(currentTarget.value);
          onEdit(currentTarget.value);
        }}
      />
    </label>
  );
}
