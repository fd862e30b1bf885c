import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { StageFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { askAgain, CallFailed, call } from '../state/call.ts';
import { Button, Notice } from './controls.tsx';

interface Props {
  title: string;
  /** What will happen. */
  children: ComponentChildren;
  /** The words of the button that does it. */
  action: string;
  isDanger?: boolean;
  isReady?: boolean;
  /** Does it. What it returns is shown; what it throws too. */
  onAct(): Promise<string>;
  onClose(): void;
  /** What else there is to say when it was done. */
  after?: ComponentChildren;
}

/** Says what an action will do, does it when a person says so, and then says what came of it. */
export function ActionDialog({ title, children, action, isDanger, isReady = true, onAct, onClose, after }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [state, setState] = useState<{ isBusy?: boolean; said?: string; failed?: string; again?: string }>({});
  const stop = useRef(new AbortController());
  const id = useId();
  const words = messages.value.actions;
  useEffect(() => {
    dialog.current?.showModal();
    return () => stop.current.abort();
  }, []);
  const act = async () => {
    setState({ isBusy: true });
    try {
      setState({ said: await onAct() });
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      const isUnknown = error.status === 0;
      setState({ failed: error.message, isBusy: isUnknown });
      if (!isUnknown) return;
      await askAgain(() => call<StageFacts>('/api/stage'), stop.current.signal);
      setState({ again: messages.value.answersAgain });
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {state.said === undefined && <div class="what">{children}</div>}
      <div role="status">
        <Notice tone="good" words={state.said} />
        <Notice words={state.failed} />
        <Notice tone="people" words={state.again} />
      </div>
      {state.said !== undefined && after}
      <footer>
        <Button words={state.said === undefined ? words.cancel : words.close} onClick={() => dialog.current?.close()} />
        {state.said === undefined && (
          <Button
            words={state.isBusy ? words.busy : action}
            look={isDanger ? 'danger' : 'main'}
            isDisabled={!isReady || state.isBusy}
            onClick={act}
          />
        )}
      </footer>
    </dialog>
  );
}
