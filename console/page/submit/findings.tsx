import { type JSONPath, lineOf, placeOf, stepsOf, treeOf } from '../../../core/json/edit-json.ts';
import { messages } from '../messages/language.ts';
import { valueText } from '../order/offer-rows.ts';
import { Button, Notice, Section } from '../parts/controls.tsx';
import { form, placeWords } from '../parts/format.ts';
import type { PackageState } from './kept-packages.ts';
import { documentsOf, type usePackages } from './use-packages.ts';

type Acts = Pick<ReturnType<typeof usePackages>, 'moveFile' | 'removeFiles' | 'edit'>;

interface Finding {
  steps: JSONPath;
  /** The place as the check says it; empty if it is unknown. */
  path: string;
  words: string;
  fix?: string | undefined;
  /** A file whose other name mends this. */
  rename?: { from: string; to: string } | undefined;
}

/** What the check found in a package. */
export function problemsIn({ check, text }: PackageState): Finding[] {
  return (check?.problems ?? []).map((found) => {
    const [words = '', fix] = messages.value.problem(found).split('\n');
    const steps = stepsOf(found.path);
    const { wouldDo, near, file } = (found.params ?? {}) as Record<string, string | undefined>;
    const named = documentsOf(text)[Number(steps[1])]?.file;
    const rename =
      found.code === 'fileName' && wouldDo && named
        ? { from: named, to: wouldDo }
        : found.code === 'noFile' && near && file
          ? { from: near, to: file }
          : undefined;
    return { steps, path: found.path, words, fix, rename };
  });
}

/** What the bank found in the order before. A place is known if an issue names one that order.json has. */
export function issuesIn({ issues = [], text }: PackageState): Finding[] {
  const tree = treeOf(text);
  return issues.map((issue) => {
    const steps = tree && placeOf(issue, tree);
    const members = typeof issue === 'object' && issue !== null ? Object.entries(issue) : [['', issue]];
    const said = members.map(([name, value]) => [name, valueText(value)].filter(Boolean).join(': ')).join(', ');
    const path = (steps ?? []).map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    return { steps: steps ?? [], path: path && `$${path}`, words: messages.value.submit.bankSays(said) };
  });
}

/** What is wrong with a package, and what mends it with a click. `issues`: those that stand nowhere else. */
export function Findings({ state, issues, ...acts }: { state: PackageState; issues: Finding[] } & Acts) {
  const { check, text, files } = state;
  const words = messages.value.submit;
  const { unnamed = [], refused } = check ?? {};
  const problems = problemsIn(state);
  const tree = treeOf(text);
  const count = problems.length + Number(unnamed.length > 0) + Number(refused !== undefined);
  return (
    <Section title={count === 0 ? words.fine : form(count, words.problems)}>
      <div role="status">
        <Notice words={refused} />
        {!files.has('order.json') && <Button words={words.write} onClick={() => acts.edit(skeleton(files))} />}
        {count === 0 && <p class="tone good">{words.does}</p>}
        <ul class="rows problems">
          {unnamed.length > 0 && (
            <li>
              <span>{words.notNamed(form(unnamed.length, words.files))}</span>
              <Button words={words.leaveOut} onClick={() => acts.removeFiles(...unnamed)} />
            </li>
          )}
          {[...problems, ...issues].map(({ steps, path, words: said, fix, rename }) => (
            <li key={`${path} ${said}`}>
              <code>
                {placeWords(path)} {path.length > 1 && <Line at={lineOf(text ?? '', tree, steps)} />}
              </code>
              <span>{said}</span>
              {fix !== undefined && <span class="faint">{fix}</span>}
              {rename && files.has(rename.from) && !files.has(rename.to) && (
                <Button words={words.renameTo(rename.to)} onClick={() => acts.moveFile(rename.from, rename.to)} />
              )}
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}

const Line = ({ at }: { at: number | undefined }) =>
  at === undefined ? null : <span class="faint">{messages.value.submit.line(at)}</span>;

/** An order.json without order data, which names these documents. */
function skeleton(files: PackageState['files']): string {
  const documents = [...files.keys()].filter((path) => path.startsWith('documents/'));
  const named = documents.map((file) => ({ file, entityId: '', sourceEntityId: '', docType: '' }));
  return JSON.stringify({ order: {}, documents: named }, undefined, 2);
}
