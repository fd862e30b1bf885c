import { useState } from 'preact/hooks';
import type { OrderFacts, Said } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { ActionDialog } from '../parts/dialog.tsx';
import { call } from '../state/call.ts';
import { Evidence } from './evidence.tsx';

type Action = 'retry' | 'abort' | 'resolve' | 'evidence';

/** What an operator can do about the order. Each says what it will do before it does it. */
export function Actions({ facts }: { facts: OrderFacts }) {
  const [open, setOpen] = useState<Action>();
  const words = messages.value.actions;
  const { situation, canResolve, orderRef } = facts;
  const isRunning = situation === 'running';
  const canRetry = ['stopped', 'outage', 'dismissed'].includes(situation) && facts.status !== 'CLOSED';
  const close = () => setOpen(undefined);
  const send = async (action: Action, done: string, body: unknown = {}) => {
    await call<Said>(`/api/orders/${encodeURIComponent(orderRef)}/${action}`, body);
    return done;
  };
  return (
    <div class="actions">
      {canRetry && (
        <button type="button" class="main" onClick={() => setOpen('retry')}>
          {words.retry.name}
        </button>
      )}
      {canResolve && !isRunning && (
        <button type="button" class={canRetry ? '' : 'main'} onClick={() => setOpen('resolve')}>
          {words.resolve.name}
        </button>
      )}
      {isRunning && (
        <button type="button" onClick={() => setOpen('abort')}>
          {words.abort.name}
        </button>
      )}
      <button type="button" onClick={() => setOpen('evidence')}>
        {words.evidence.name}
      </button>
      {open === 'evidence' && <Evidence orderRef={orderRef} onClose={close} />}
      {open === 'retry' && (
        <ActionDialog
          title={words.retry.title(orderRef)}
          action={words.retry.name}
          onAct={() => send('retry', words.retry.done)}
          onClose={close}
        >
          <p>{words.retry.does(facts.generation + 1)}</p>
        </ActionDialog>
      )}
      {open === 'abort' && (
        <ActionDialog
          title={words.abort.title(orderRef)}
          action={words.abort.name}
          isDanger
          onAct={() => send('abort', words.abort.done)}
          onClose={close}
        >
          <p>{words.abort.does}</p>
        </ActionDialog>
      )}
      {open === 'resolve' && (
        <Resolve
          orderRef={orderRef}
          onAct={(orderId) => send('resolve', words.resolve.recorded, { orderId })}
          onClose={close}
        />
      )}
    </div>
  );
}

function Resolve({
  orderRef,
  onAct,
  onClose,
}: {
  orderRef: string;
  onAct(orderId: string | null): Promise<string>;
  onClose(): void;
}) {
  const [isCreated, setCreated] = useState<boolean>();
  const [orderId, setOrderId] = useState('');
  const words = messages.value.actions.resolve;
  const isReady = isCreated === false || (isCreated === true && orderId.trim() !== '');
  return (
    <ActionDialog
      title={words.title(orderRef)}
      action={words.record}
      isReady={isReady}
      onAct={() => onAct(isCreated ? orderId.trim() : null)}
      onClose={onClose}
    >
      <p>{words.does}</p>
      <fieldset>
        <legend>{words.question}</legend>
        <label class="check">
          <input type="radio" name="created" onChange={() => setCreated(true)} /> {words.created}
        </label>
        <label class="field">
          orderId
          <input
            type="text"
            value={orderId}
            disabled={isCreated !== true}
            onInput={({ currentTarget }) => setOrderId(currentTarget.value)}
          />
        </label>
        <label class="check">
          <input type="radio" name="created" onChange={() => setCreated(false)} /> {words.notCreated}
        </label>
      </fieldset>
      {isCreated !== undefined && <p class="faint">{isCreated ? words.thenReads : words.thenCreates}</p>}
    </ActionDialog>
  );
}
