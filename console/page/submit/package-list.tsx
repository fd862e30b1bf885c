import { messages } from '../messages/language.ts';
import { Button } from '../parts/controls.tsx';
import { form } from '../parts/format.ts';
import type { PackageState } from './kept-packages.ts';
import { isReady, type usePackages } from './use-packages.ts';

/** The packages that were dropped together. One of them is open below. */
export const PackageList = ({ all, state, open, forget }: ReturnType<typeof usePackages>) => (
  <ul class="rows packages">
    {all.map((one) => (
      <li key={one.id} aria-current={one === state ? 'true' : undefined}>
        <Button words={one.orderRef || one.folder} onClick={() => open(one.id)} />
        <span class={`tone ${isReady(one) ? 'good' : one.isChecked || one.failed ? 'bad' : 'calm'}`}>
          {[stateWords(one), ...warningsOf(one, all)].join(' ')}
        </span>
        <Button words={messages.value.submit.remove} onClick={() => forget([one])} />
      </li>
    ))}
  </ul>
);

function stateWords({ check, failed, isChecked, wanted }: PackageState): string {
  const words = messages.value.submit;
  if (wanted.length > 0) return words.wanted(wanted.join(', '));
  if (failed !== undefined || !isChecked || !check) return failed ?? words.checking;
  if (check.problems.length > 0) return form(check.problems.length, words.problems);
  return (
    check.refused ?? (check.unnamed.length > 0 ? words.notNamed(form(check.unnamed.length, words.files)) : words.ready)
  );
}

/** What is to be known before a package is submitted: it may be two loans by mistake. */
export function warningsOf(one: PackageState, all: readonly PackageState[]): string[] {
  const words = messages.value.submit;
  const { loan, alike: known = [] } = one.check ?? {};
  const isAlike = ({ check }: PackageState) => loan && JSON.stringify(check?.loan) === JSON.stringify(loan);
  const refs = [...known, ...all.filter(isAlike).map(({ orderRef }) => orderRef)];
  const alike = [...new Set(refs)].filter((other) => other !== one.orderRef);
  return [
    isTwice(one, all) ? words.twice : '',
    one.check?.taken === one.orderRef ? words.taken(one.orderRef) : '',
    alike.length > 0 ? words.alike(alike.join(', ')) : '',
  ].filter((said) => said !== '');
}

/** Whether another of the packages has the same reference. */
export const isTwice = (one: PackageState, all: readonly PackageState[]) =>
  all.some(({ id, orderRef }) => id !== one.id && orderRef === one.orderRef);
