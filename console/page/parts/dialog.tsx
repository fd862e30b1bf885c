import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { Button } from './controls.tsx';
import { focusMain } from './hooks.ts';
import { type Deed, Outcome, sentOf, useSent, type Work } from './sent.tsx';

interface Props {
  title: string;
  deed: Omit<Deed, 'title'>;
  children: ComponentChildren;
  action: string;
  isDanger?: boolean;
  isReady?: boolean;
  /** Runs the action and shows its result or error. It continues if the dialog is closed. */
  onAct: Work;
  onClose(): void;
}

/** Explains an action, runs it when the person confirms, and shows the result. Once sent, it cannot be cancelled. */
export function ActionDialog(props: Props) {
  const { title, deed, children, action, isDanger, isReady = true, onAct, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const { act, came, state, isAdopted, isFree } = useSent({ ...deed, title });
  const id = useId();
  const words = messages.value.actions;
  const isDone = state === 'done';
  const isUnderWay = state === 'underWay';
  const isOpen = sentOf(deed.what, deed.orderRef).some(({ end }) => !end);
  const canCancel = !isOpen && (state === undefined || state === 'refused');
  // A layout effect, so it opens before another key can be pressed.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useLayoutEffect(() => {
    if (isDone || isUnderWay) dialog.current?.querySelector<HTMLElement>('[role=status] a, .buttons button')?.focus();
  }, [isDone, isUnderWay]);
  // The browser returns the focus to the element that opened the dialog, which the action may have removed.
  useEffect(() => () => focusMain(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      closedBy={isUnderWay ? 'none' : 'closerequest'}
      onCancel={(event) => isUnderWay && event.preventDefault()}
      onClose={onClose}
    >
      <h2 id={id}>{title}</h2>
      {!isDone && !(isUnderWay && isAdopted) && <div class="what">{children}</div>}
      <div role="status">
        <Outcome one={came} />
      </div>
      <div class="buttons">
        <Button words={canCancel ? words.cancel : words.close} onClick={() => dialog.current?.close()} />
        {!isDone && !isUnderWay && (
          <Button
            words={action}
            look={isDanger ? 'danger' : 'main'}
            isDisabled={!isReady || !isFree}
            onClick={() => act(onAct)}
          />
        )}
      </div>
    </dialog>
  );
}
