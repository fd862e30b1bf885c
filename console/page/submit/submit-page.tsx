import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { messages } from '../messages/language.ts';
import { valueText } from '../order/offer-rows.ts';
import { Button, Notice } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { form } from '../parts/format.ts';
import { useAsksBeforeLeaving, useTitle } from '../parts/hooks.ts';
import { sentOf } from '../parts/sent.tsx';
import { Findings, issuesIn } from './findings.tsx';
import type { PackageState } from './kept-packages.ts';
import { OrderJson } from './order-json.tsx';
import { PackageFiles } from './package-files.tsx';
import { isTwice, PackageList, warningsOf } from './package-list.tsx';
import { submitAll } from './submission.ts';
import { isReady, usePackages } from './use-packages.ts';

export function SubmitPage() {
  const packages = usePackages();
  const { all, state, strays, add } = packages;
  const [looked, setLooked] = useState<PackageState[]>();
  const { again } = useLocation().query;
  const failedToOpen = useOpened(again, packages.openAgain);
  const words = messages.value.submit;
  useTitle(words.title);
  const { failed, orderRef, files, wanted } = state;
  const isHere = files.size > 0;
  const isSent = all.length === 1 && sentOf('submit', orderRef).some(({ end }) => end !== 'refused');
  useAsksBeforeLeaving(isHere && !isSent ? words.leave : undefined);
  return (
    <article class="order submit">
      <h1>{words.heading}</h1>
      <div role="status">
        <Notice words={failed ?? failedToOpen} />
        {again !== undefined && (
          <p class="notice people">
            <span>
              {words.again} <a href={`/orders/${again}`}>{again}</a>
            </span>
          </p>
        )}
        <Notice tone="people" words={wanted.length > 0 ? words.wanted(wanted.join(', ')) : undefined} />
        <Notice tone="people" words={strays.length > 0 ? words.strays(strays.slice(0, 5).join(', ')) : undefined} />
      </div>
      <DropZone
        label={isHere ? words.more : words.drop}
        hint={wanted.length > 0 ? '' : isHere ? words.moreHint : words.hint}
        isFolder={!isHere}
        onFiles={add}
      />
      {all.length > 1 && <PackageList {...packages} />}
      <OnePackage isSent={isSent} onLook={setLooked} {...packages} />
      {looked && <LastLook looked={looked} onClose={() => setLooked(undefined)} {...packages} />}
    </article>
  );
}

type Packages = ReturnType<typeof usePackages>;

/** The package that is open, and the button for all of them. */
function OnePackage({
  isSent,
  onLook,
  ...packages
}: Packages & { isSent: boolean; onLook(ready: PackageState[]): void }) {
  const { all, state } = packages;
  const { check, failed, orderRef, files, wanted, isChecked = false, text } = state;
  const [isText, setText] = useState(false);
  const words = messages.value.submit;
  const isBusy = files.size > 0 && !isChecked && failed === undefined;
  if (!check && wanted.length === 0) return isBusy ? <p role="status">{words.checking}</p> : null;
  const issues = issuesIn(state);
  const ready = all.filter((one) => isReady(one) && !isTwice(one, all));
  return (
    <>
      <label class="field">
        {words.orderRef}
        <input
          type="text"
          value={orderRef}
          spellcheck={false}
          onInput={({ currentTarget }) => packages.rename(currentTarget.value)}
        />
      </label>
      <Warnings said={isSent ? [] : warningsOf(state, all)} />
      {check && (
        <div class="columns">
          <Findings {...packages} issues={issues.filter(({ path }) => isText || path === '')} />
          <PackageFiles {...packages} />
        </div>
      )}
      {text !== undefined && (
        <OrderJson state={state} text={text} issues={issues} isText={isText} onText={setText} onEdit={packages.edit} />
      )}
      <footer class="decide">
        <p class="faint" role="status">
          {isBusy ? words.checking : words.does}
        </p>
        <Button words={all.length > 1 ? words.others : words.another} onClick={() => packages.forget()} />
        <Button
          words={titleOf(all.length > 1 ? ready : all)}
          look="main"
          isDisabled={ready.length === 0}
          onClick={() => onLook(ready)}
        />
      </footer>
    </>
  );
}

function titleOf([first, ...others]: readonly PackageState[]): string {
  const words = messages.value.submit;
  return first && others.length === 0
    ? words.submit(first.orderRef)
    : words.submitMany(others.length + Number(!!first));
}

/** The last look at packages as they were, and their submission. */
function LastLook({ looked, onClose, ...packages }: Packages & { looked: PackageState[]; onClose(): void }) {
  const isAsSeen = (one: PackageState) => packages.all.every((now) => now.id !== one.id || isReady(now));
  const [only] = looked.length === 1 ? looked : [];
  useEffect(() => void packages.checkAgain(looked), [looked]);
  return (
    <ActionDialog
      title={titleOf(looked)}
      deed={{ what: 'submit', ...(only && { orderRef: only.orderRef }) }}
      action={messages.value.submit.act}
      isReady={looked.every(isAsSeen)}
      onAct={(tell) => submitAll(looked, packages, tell)}
      onClose={onClose}
    >
      <Look looked={looked.map((one) => packages.all.find(({ id }) => id === one.id) ?? one)} all={packages.all} />
    </ActionDialog>
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

function Look({ looked, all }: { looked: PackageState[]; all: readonly PackageState[] }) {
  const words = messages.value.submit;
  const [only] = looked.length === 1 ? looked : [];
  return (
    <>
      <ul>
        {looked.map((one) => (
          <li key={one.id}>
            <strong>{one.orderRef}</strong>{' '}
            <span class="faint">
              {one.check?.loan && `${one.check.loan.company}, ${valueText(one.check.loan.amount)}, `}
              {one.folder || words.noFolder}, {form(one.files.size, words.files)}
            </span>
            <Warnings said={warningsOf(one, all)} />
          </li>
        ))}
        {only &&
          [...only.files.keys()]
            .sort()
            .map((path) => (
              <li key={path}>{[path, only.later.has(path) && words.later].filter(Boolean).join(', ')}</li>
            ))}
      </ul>
      {all.length > looked.length && <p class="faint">{words.left(all.length - looked.length)}</p>}
      <p>{words.does}</p>
    </>
  );
}

const Warnings = ({ said }: { said: string[] }) => (
  <Notice tone="people" words={said.length > 0 ? said.join(' ') : undefined} />
);
