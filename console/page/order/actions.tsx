import { useState } from 'preact/hooks';
import type { Done, MadeEvidence, OrderFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, Check, Field } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { nameOf } from '../parts/format.ts';
import { addressOf, call, download } from '../state/call.ts';
import { stage } from '../state/stage.ts';

type Action = 'retry' | 'abort' | 'dismiss' | 'resolve' | 'evidence';

interface ActionProps {
  facts: OrderFacts;
  offered: Action[];
  isMain?: boolean;
}

/** What an operator can do about an order that stopped. */
export function MainAction({ facts }: { facts: OrderFacts }) {
  const { situation, canResolve, status } = facts;
  const canRetry = ['stopped', 'dismissed'].includes(situation) && status !== 'CLOSED';
  const offered: Action[] = canRetry ? ['retry'] : [];
  if (situation !== 'running' && canResolve) offered.unshift('resolve');
  return offered.length > 0 ? <Buttons facts={facts} offered={offered} isMain /> : null;
}

/** An order that goes on by itself after an outage has its retry here: it only tries sooner. */
const OTHERS: Partial<Record<OrderFacts['situation'], Action[]>> = {
  running: ['abort'],
  outage: ['retry'],
  stopped: ['dismiss'],
  'creation unknown': ['dismiss'],
};

export const OtherActions = ({ facts }: { facts: OrderFacts }) => (
  <Buttons facts={facts} offered={['evidence', ...(OTHERS[facts.situation] ?? [])]} />
);

function Buttons({ facts, offered, isMain }: ActionProps) {
  const [open, setOpen] = useState<Action>();
  const [reason, setReason] = useState('');
  const words = messages.value.actions;
  const { orderRef, timeline } = facts;
  const name = nameOf(facts);
  const close = () => setOpen(undefined);
  return (
    <div class="actions">
      {offered.map((action, at) => (
        <Button
          key={action}
          words={words[action].name}
          look={isMain && at === 0 ? 'main' : ''}
          onClick={() => setOpen(action)}
        />
      ))}
      {open === 'evidence' && <EvidenceDialog orderRef={orderRef} onClose={close} />}
      {(open === 'retry' || open === 'abort' || open === 'dismiss') && (
        <ActionDialog
          title={words[open].title(name)}
          deed={{ what: open, orderRef, timeline }}
          action={words[open].name}
          isDanger={open !== 'retry'}
          isReady={open !== 'dismiss' || reason.trim() !== ''}
          onAct={() => send(orderRef, open, words[open].done, open === 'dismiss' ? { reason } : {})}
          onClose={close}
        >
          <p>{words[open].does}</p>
          {open === 'dismiss' && <Field label={messages.value.reason} value={reason} onInput={setReason} />}
        </ActionDialog>
      )}
      {open === 'resolve' && <Resolve facts={facts} onClose={close} />}
    </div>
  );
}

async function send(orderRef: string, action: Action, done: string, body: unknown = {}): Promise<string> {
  await call<Done>(`${addressOf(orderRef)}/${action}`, body);
  return done;
}

function Resolve({ facts: { orderRef, timeline }, onClose }: { facts: OrderFacts; onClose(): void }) {
  const [isCreated, setCreated] = useState<boolean>();
  const [orderId, setOrderId] = useState('');
  const words = messages.value.actions.resolve;
  const isReady = isCreated === false || (isCreated === true && orderId.trim() !== '');
  return (
    <ActionDialog
      title={words.title(orderRef)}
      deed={{ what: 'resolve', orderRef, timeline }}
      action={words.record}
      isReady={isReady}
      onAct={() => send(orderRef, 'resolve', words.recorded, { orderId: isCreated ? orderId.trim() : null })}
      onClose={onClose}
    >
      <p>{words.does}</p>
      <fieldset>
        <legend>{words.question}</legend>
        <Check group="created" onChange={() => setCreated(true)}>
          {words.created}
        </Check>
        <Field label="orderId" value={orderId} isDisabled={isCreated !== true} onInput={setOrderId} />
        <Check group="created" onChange={() => setCreated(false)}>
          {words.notCreated}
        </Check>
      </fieldset>
      {isCreated !== undefined && <p class="faint">{isCreated ? words.thenReads : words.thenCreates}</p>}
    </ActionDialog>
  );
}

function EvidenceDialog({ orderRef, onClose }: { orderRef: string; onClose(): void }) {
  // The laptop has a key for evidence, but no certificate for it.
  const [unsigned, setUnsigned] = useState(stage.value?.local === true);
  const words = messages.value.actions.evidence;
  const write = async () => {
    const address = `${addressOf(orderRef)}/evidence`;
    const { id, signed, sha256 } = await call<MadeEvidence>(address, { unsigned });
    await download(`${address}/${id}`);
    return words.done(signed, sha256);
  };
  return (
    <ActionDialog
      title={words.title(orderRef)}
      deed={{ what: 'evidence', orderRef }}
      action={words.write}
      onAct={write}
      onClose={onClose}
    >
      <p>{words.does}</p>
      <Check isChecked={unsigned} onChange={setUnsigned}>
        {words.unsigned}
      </Check>
    </ActionDialog>
  );
}
