import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { askAgain, CallFailed } from '../state/call.ts';
import { Button, Notice } from './controls.tsx';
import { focusMain } from './hooks.ts';

/** The result of an action. It is busy until the console answers, also after a broken connection. */
interface Came {
  isBusy?: boolean;
  said?: string;
  failed?: string;
  again?: string;
}

/** Runs an action. `act` takes a message for a broken connection, if it should say more than the failure. */
export function useAct() {
  const [came, setCame] = useState<Came>({});
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const act = async (work: () => Promise<string | undefined>, brokenOff?: () => string) => {
    setCame({ isBusy: true });
    try {
      const said = await work();
      setCame(said === undefined ? {} : { said });
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      const isUnknown = error.status === 0;
      const failed = (isUnknown && brokenOff?.()) || error.message;
      setCame({ failed, isBusy: isUnknown });
      if (!isUnknown) return;
      await askAgain('/api/stage', stop.current.signal);
      setCame({ failed, again: messages.value.answersAgain });
    }
  };
  return { came, act };
}

export const CameNotices = ({ came: { said, failed, again } }: { came: Came }) => (
  <>
    <Notice tone="good" words={said} />
    <Notice words={failed} />
    <Notice tone="people" words={again} />
  </>
);

interface Props {
  title: string;
  children: ComponentChildren;
  /** The words of the button. */
  action: string;
  isDanger?: boolean;
  isReady?: boolean;
  /** Runs the action. What it returns or throws is shown. */
  onAct(): Promise<string>;
  onClose(): void;
  /** Shown after the action was done. */
  after?: ComponentChildren;
}

/** Explains an action, runs it when the person confirms, and shows the result. */
export function ActionDialog({ title, children, action, isDanger, isReady = true, onAct, onClose, after }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { act, came } = useAct();
  const id = useId();
  const words = messages.value.actions;
  const isDone = came.said !== undefined;
  // Before another key can be pressed.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useLayoutEffect(() => {
    if (isDone) dialog.current?.querySelector<HTMLElement>('footer button')?.focus();
  }, [isDone]);
  // The browser gives the focus back to what opened the dialog. An action may have taken that away.
  useEffect(() => () => focusMain(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {!isDone && <div class="what">{children}</div>}
      <div role="status">
        <CameNotices came={came} />
      </div>
      {isDone && after}
      <footer>
        <Button words={isDone ? words.close : words.cancel} onClick={() => dialog.current?.close()} />
        {!isDone && (
          <Button
            words={came.isBusy ? words.busy : action}
            look={isDanger ? 'danger' : 'main'}
            isDisabled={!isReady || came.isBusy}
            onClick={() => act(onAct)}
          />
        )}
      </footer>
    </dialog>
  );
}
