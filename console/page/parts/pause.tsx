import { useState } from 'preact/hooks';
import type { Done } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { call } from '../state/call.ts';
import { orders, readStage, stage } from '../state/stage.ts';
import { Button, Field, Notice } from './controls.tsx';
import { ActionDialog } from './dialog.tsx';
import { exactTime, form } from './format.ts';

/** Pauses the stage, or resumes it while it is paused. */
export function PauseButton() {
  const [asked, setAsked] = useState<'pause' | 'resume'>();
  const [reason, setReason] = useState('');
  const { pause } = stage.value ?? {};
  const { stagePause: words, table, paused } = messages.value;
  const waiting = [...(orders.value?.values() ?? [])].filter(({ waitingFor }) => waitingFor === 'service').length;
  const close = () => {
    setAsked(undefined);
    setReason('');
    readStage();
  };
  return (
    <>
      <Button
        words={`${words[pause ? 'resume' : 'pause'].name}…`}
        onClick={() => setAsked(pause ? 'resume' : 'pause')}
      />
      {asked && (
        <ActionDialog
          title={words[asked].name}
          deed={{ what: asked }}
          action={words[asked].name}
          isDanger={asked === 'pause'}
          isReady={asked === 'resume' || reason.trim() !== ''}
          onAct={async () => {
            await call<Done>(`/api/${asked}`, asked === 'pause' ? { reason } : {});
            return words[asked].done;
          }}
          onClose={close}
        >
          <p>{words[asked].does(form(waiting, table.count))}</p>
          <Notice tone="people" words={pause && paused(exactTime(pause.since), pause.by, pause.reason)} />
          {asked === 'pause' && <Field label={messages.value.reason} value={reason} onInput={setReason} />}
        </ActionDialog>
      )}
    </>
  );
}
