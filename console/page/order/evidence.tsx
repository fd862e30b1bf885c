import { useState } from 'preact/hooks';
import type { MadeEvidence } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { ActionDialog } from '../parts/dialog.tsx';
import { call } from '../state/call.ts';

/** Writes the evidence of the order into an archive, and downloads it. */
export function Evidence({ orderRef, onClose }: { orderRef: string; onClose(): void }) {
  const [unsigned, setUnsigned] = useState(false);
  const words = messages.value.actions.evidence;
  const write = async () => {
    const address = `/api/orders/${encodeURIComponent(orderRef)}/evidence`;
    const { id, signed, sha256 } = await call<MadeEvidence>(address, { unsigned });
    // An attachment: the page stays.
    window.location.assign(`${address}/${id}`);
    return words.done(signed, sha256);
  };
  return (
    <ActionDialog title={words.title(orderRef)} action={words.write} onAct={write} onClose={onClose}>
      <p>{words.does}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={unsigned}
          onChange={({ currentTarget }) => setUnsigned(currentTarget.checked)}
        />{' '}
        {words.unsigned}
      </label>
    </ActionDialog>
  );
}
