import { useState } from 'preact/hooks';
import type { MadeEvidence, OrderFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { ActDialog, type Verb } from '../parts/act.tsx';
import { Button, Check } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { addressOf, call, download } from '../state/call.ts';
import { stage } from '../state/stage.ts';

type Action = Verb | 'evidence';

/** What an operator can do about an order that stopped. */
export function MainAction({ facts }: { facts: OrderFacts }) {
  const { situation, canResolve, status } = facts;
  const canRetry = ['stopped', 'dismissed'].includes(situation) && status !== 'CLOSED';
  const offered: Action[] = canRetry ? ['retry'] : [];
  if (situation !== 'running' && canResolve) offered.unshift('resolve');
  return offered.length > 0 ? <Buttons facts={facts} offered={offered} isMain /> : null;
}

/** After an outage, a retry only tries sooner. */
const OTHERS: Record<string, Action[]> = { running: ['abort'], outage: ['retry'], stopped: ['dismiss'] };

export const OtherActions = ({ facts }: { facts: OrderFacts }) => (
  <Buttons facts={facts} offered={['evidence', ...(OTHERS[facts.situation] ?? [])]} />
);

function Buttons({ facts, offered, isMain }: { facts: OrderFacts; offered: Action[]; isMain?: boolean }) {
  const [open, setOpen] = useState<Action>();
  const { orderRef, timeline, labels } = facts;
  const close = () => setOpen(undefined);
  return (
    <div class="actions">
      {offered.map((action, at) => (
        <Button
          words={messages.value.actions.names[action]}
          look={isMain && at === 0 ? 'main' : ''}
          onClick={() => setOpen(action)}
        />
      ))}
      {open === 'evidence' && <EvidenceDialog orderRef={orderRef} onClose={close} />}
      {open !== undefined && open !== 'evidence' && (
        <ActDialog verb={open} rows={[{ orderRef, company: labels.company }]} timeline={timeline} onClose={close} />
      )}
    </div>
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
