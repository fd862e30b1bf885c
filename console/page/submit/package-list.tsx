import { messages } from '../messages/language.ts';
import { Button, Heads } from '../parts/controls.tsx';
import { form } from '../parts/format.ts';
import { orders } from '../state/stage.ts';
import { isReady, type PackageState } from './use-packages.ts';

interface Props {
  all: readonly PackageState[];
  openId: string;
  onOpen(id: string): void;
  onForget(gone: PackageState[]): void;
}

/** The packages that were dropped together. One of them is open below. */
export function PackageList({ all, openId, onOpen, onForget }: Props) {
  const words = messages.value.submit;
  return (
    <table class="packages">
      <Heads names={[words.orderRef, words.files.split('|').at(-1) ?? '', words.state, words.remove]} />
      <tbody>
        {all.map((one) => {
          const said = stateWords(one, all);
          return (
            <tr key={one.id} aria-current={one.id === openId ? 'true' : undefined}>
              <th scope="row">
                <Button words={one.orderRef || one.folder} look="" onClick={() => onOpen(one.id)} />
              </th>
              <td>{one.files.size}</td>
              <td>
                <span
                  class={`tone ${isReady(one) ? (said === words.ready ? 'good' : 'people') : one.isChecked || one.failed ? 'bad' : 'calm'}`}
                >
                  {said}
                </span>
              </td>
              <td>
                <Button words={words.remove} onClick={() => onForget([one])} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** What is to be known of a package before it is submitted. */
export function stateWords(one: PackageState, all: readonly PackageState[]): string {
  const { check, failed, isChecked, wanted, orderRef } = one;
  const words = messages.value.submit;
  if (wanted.length > 0) return words.wanted(wanted.join(', '));
  if (failed !== undefined) return failed;
  if (!isChecked || !check) return words.checking;
  const alike = check.alike.filter((other) => other !== orderRef);
  const said = [
    check.refused,
    check.problems.length > 0 && form(check.problems.length, words.problems),
    check.unnamed.length > 0 && words.notNamed(form(check.unnamed.length, words.files)),
    isTwice(one, all) && words.twice,
    orders.value?.has(orderRef) && words.taken(orderRef),
    alike.length > 0 && words.alike(alike.join(', ')),
  ].filter(Boolean);
  return said.length > 0 ? said.join(' ') : words.ready;
}

/** Whether another of the packages has the same reference. */
export const isTwice = (one: PackageState, all: readonly PackageState[]) =>
  all.some(({ id, orderRef }) => id !== one.id && orderRef === one.orderRef);
