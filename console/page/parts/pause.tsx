import { useState } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { call } from '../state/call.ts';
import { orders, readStage, stage } from '../state/stage.ts';
import { Button, Notice, Reason } from './controls.tsx';
import { ActionDialog } from './dialog.tsx';
import { exactTime, form } from './format.ts';

/** Pauses the stage, or resumes it while it is paused. */
export function PauseButton() {
  const [asked, setAsked] = useState<'pause' | 'resume'>();
  const [reason, setReason] = useState('');
  const { pause } = stage.value ?? {};
  const { stagePause: words, table, paused } = messages.value;
  const waiting = [...(orders.value?.values() ?? [])].filter(({ waitingFor }) => waitingFor === 'service').length;
  const what = pause ? 'resume' : 'pause';
  const close = () => {
    setAsked(undefined);
    readStage();
  };
  return (
    <>
      <Button words={`${words[what].name}…`} onClick={() => setAsked(what)} />
      {asked && (
        <ActionDialog
          title={words[asked].name}
          deed={{ what: asked }}
          action={words[asked].name}
          isDanger={asked === 'pause'}
          isReady={asked === 'resume' || reason.trim() !== ''}
          onAct={() => call(`/api/${asked}`, asked === 'pause' ? { reason } : {}).then(() => words[asked].done)}
          onClose={close}
        >
          <p>{words[asked].does(form(waiting, table.count))}</p>
          <Notice tone="people" words={pause && paused(exactTime(pause.since), pause.by, pause.reason)} />
          {asked === 'pause' && <Reason value={reason} onInput={setReason} />}
        </ActionDialog>
      )}
    </>
  );
}
