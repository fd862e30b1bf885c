import { Fragment } from 'preact';
import type { SignatureVerdict } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { CallFailed, call } from '../state/call.ts';
import { Button, Notice } from './controls.tsx';
import { type DroppedFile, DropZone } from './drop-zone.tsx';
import { useAsksBeforeLeaving } from './hooks.ts';
import { type Deed, Outcome, useSent } from './sent.tsx';

/** A signature or a ZIP of them that was dropped onto the page and is not submitted yet. */
export interface Dropped extends DroppedFile {
  /** Absent while it is checked. */
  verdicts?: SignatureVerdict[];
  /** It was submitted. It may have arrived even if there was no answer. */
  isSent?: true;
}

export interface DroppedProps {
  dropped: Dropped[];
  onDropped(next: Dropped[] | ((known: Dropped[]) => Dropped[])): void;
}

interface Props extends DroppedProps {
  /** Where signatures are sent. */
  address: string;
  /** The orders that they are meant for. Default: all. */
  orders?: string | undefined;
  /** The order, as people recognise it, that a verdict is about. Absent where all are about one order. */
  nameOf?: ((orderRef: string) => string) | undefined;
  deed: Omit<Deed, 'what' | 'title' | 'traces'>;
}

/** Accepts signatures, shows the gate's verdict on each, and submits those that passed. */
export function Signatures({ address, orders, nameOf, deed, dropped, onDropped: setDropped }: Props) {
  const words = messages.value.sign;
  const chosen = firstOfEach(dropped);
  const passed = dropped.filter((one) => chosen.get(one)?.length);
  const count = passed.flatMap((one) => chosen.get(one)).length;
  const title = [words.handIn(count), deed.orderRef].filter(Boolean).join(': ');
  const { act, came, isFree } = useSent({ ...deed, what: 'signatures', title, traces: count });
  const judge = async (one: DroppedFile, more: Record<string, string> = {}): Promise<Dropped> => {
    const query = new URLSearchParams({ name: one.path, ...(orders && { orders }), ...more });
    return { ...one, verdicts: await call<SignatureVerdict[]>(`${address}?${query}`, one.file) };
  };
  /** Checks all of them concurrently, and shows each verdict as it arrives. Earlier valid signatures are kept. */
  const check = (files: DroppedFile[]) => {
    setDropped((known) => [...known.filter(hasPassed), ...files]);
    for (const one of files)
      judge(one)
        .catch((error: CallFailed) => refusedFile(one, error.message))
        .then((judged) => replace(one, judged));
  };
  useAsksBeforeLeaving(count > 0 ? words.leave : undefined);
  const replace = ({ file }: DroppedFile, by: Dropped | undefined) =>
    setDropped((known) => known.flatMap((one) => (one.file === file ? (by ?? []) : one)));
  const handIn = () => {
    const done: string[] = [];
    let handedIn = 0;
    const work = async () => {
      setDropped((known) => known.filter((one) => !one.verdicts || passed.includes(one)));
      for (const one of passed) {
        const at = chosen.get(one) ?? [];
        replace(one, { ...one, isSent: true });
        const refs = at.map((position) => one.verdicts?.[position]?.orderRef ?? '');
        const more = { handIn: at.join(), orders: [...new Set(refs)].join() };
        const { verdicts = [] } = await judge(one, more).catch(({ status, message }: CallFailed) => {
          throw new CallFailed(status, {
            error: status === 0 ? words.brokenOff(done.join(', '), one.path) : message,
          });
        });
        done.push(one.path);
        const failed = verdicts.filter((verdict, position) => at.includes(position) && !verdict.passed);
        handedIn += at.length - failed.length;
        replace(one, failed.length > 0 ? { ...one, verdicts: failed } : undefined);
      }
      return words.handedIn(handedIn);
    };
    act(work);
  };
  const isBusy = !isFree || dropped.some(({ verdicts }) => !verdicts);
  return (
    <>
      <DropZone label={words.drop} hint={words.dropHint} onFiles={check} />
      {count > 0 && (
        <footer class="decide">
          <p class="faint">{words.does}</p>
          <Button words={words.handIn(count)} look="main" isDisabled={isBusy} onClick={handIn} />
        </footer>
      )}
      <div role="status">
        <Outcome one={came} />
        <Verdicts dropped={dropped} nameOf={nameOf} />
      </div>
    </>
  );
}

function Verdicts({ dropped, nameOf }: Pick<Props, 'dropped' | 'nameOf'>) {
  const chosen = firstOfEach(dropped);
  return (
    <ul class="rows verdicts">
      {dropped.map((one, position) => (
        <Fragment key={position}>
          {!one.verdicts && <li class="faint">{messages.value.sign.checking(one.path)}</li>}
          {one.verdicts?.map((verdict, at) => (
            <Verdict key={at} verdict={verdict} nameOf={nameOf} isSecond={!chosen.get(one)?.includes(at)} />
          ))}
        </Fragment>
      ))}
    </ul>
  );
}

type VerdictProps = Pick<Props, 'nameOf'> & { verdict: SignatureVerdict; isSecond: boolean };

function Verdict({ verdict, nameOf, isSecond }: VerdictProps) {
  const { name, passed, orderRef = '', file = '', note, code, signers = [] } = verdict;
  const { desk, sign, rejectedSignature } = messages.value;
  const tone = passed ? (isSecond ? 'calm' : 'good') : code === 'leftOut' ? 'calm' : 'bad';
  return (
    <li class={tone === 'bad' ? 'first' : ''}>
      <span class={`tone ${tone}`}>{name}</span>
      <span>{passed ? sign.fits(file, nameOf?.(orderRef)) : rejectedSignature(verdict)}</span>
      {passed && isSecond && <strong>{desk.second}</strong>}
      {passed && signers.length > 0 && <span class="faint">{signers.map(desk.signedBy).join('; ')}</span>}
      {note && <span class="faint">{rejectedSignature(note)}</span>}
    </li>
  );
}

/** Signatures that were dropped before the orders stopped accepting them. */
export function NotHandedIn({ dropped, onForget }: { dropped: Dropped[]; onForget(): void }) {
  const words = messages.value.sign;
  return (
    <div role="status">
      <Notice words={words.notHandedIn} />
      <Verdicts dropped={dropped} />
      <Button words={words.forget} onClick={onForget} />
    </div>
  );
}

const refusedFile = (one: DroppedFile, problem: string): Dropped => ({
  ...one,
  verdicts: [{ name: one.path, passed: false, problem }],
});

const hasPassed = ({ verdicts = [] }: Dropped) => verdicts.some(({ passed }) => passed);

/** The first valid signature of each document: the positions of their verdicts. Only these are submitted. */
function firstOfEach(dropped: Dropped[]): Map<Dropped, number[]> {
  const signed = new Set<string>();
  const isFirst = ({ passed, orderRef, fileId }: SignatureVerdict) => {
    const before = signed.size;
    return passed && signed.add(`${orderRef} ${fileId}`).size > before;
  };
  return new Map(
    dropped.map((one) => [one, (one.verdicts ?? []).flatMap((verdict, at) => (isFirst(verdict) ? at : []))]),
  );
}
