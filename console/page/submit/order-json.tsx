import { laidOut, treeOf } from '../../../core/json/edit-json.ts';
import type { Schema } from '../../../core/json/form-schema.ts';
import orderJsonSchema from '../../../generated/order.schema.json' with { type: 'json' };
import { messages } from '../messages/language.ts';
import { Button, Check } from '../parts/controls.tsx';
import { type issuesIn, problemsIn } from './findings.tsx';
import type { PackageState } from './kept-packages.ts';
import { OrderForm } from './order-form.tsx';

interface Props {
  state: PackageState;
  text: string;
  issues: ReturnType<typeof issuesIn>;
  isText: boolean;
  onText(isText: boolean): void;
  onEdit(text: string): void;
}

/** order.json as a form, or as a text. It is checked again shortly after each change. */
export function OrderJson({ state, text, issues, isText, onText, onEdit }: Props) {
  const words = messages.value.submit;
  const tree = treeOf(text);
  const notes = new Map<string, string[]>();
  for (const { steps, words: said, path } of [...problemsIn(state), ...issues]) {
    const place = JSON.stringify(steps);
    if (path.length > 1) notes.set(place, [...(notes.get(place) ?? []), said]);
  }
  return (
    <section class="card" aria-label="order.json">
      <header>
        <h2>order.json</h2>
        <div class="actions">
          <Check group="look" isChecked={!isText && tree !== undefined} onChange={() => onText(false)}>
            {words.form}
          </Check>
          <Check group="look" isChecked={isText || !tree} onChange={() => onText(true)}>
            {words.text}
          </Check>
        </div>
      </header>
      {isText || !tree ? (
        <>
          <Editor text={text} onEdit={onEdit} />
          {tree && !text.includes('\n') && <Button words={words.layOut} onClick={() => onEdit(laidOut(text))} />}
        </>
      ) : (
        <OrderForm key={state.id} {...{ text, tree, notes, onEdit }} schema={wholeSchema(state)} />
      )}
    </section>
  );
}

/** Of an order.json of this stage whose documents are files of this package. */
function wholeSchema({ files, check }: PackageState): Schema {
  const { order, documents, ...others } = orderJsonSchema.properties;
  const file = { enum: [...files.keys()].filter((path) => path !== 'order.json').sort() };
  const items = { ...documents.items, properties: { ...documents.items.properties, file } };
  const properties = {
    order: (check?.orderSchema as Schema | undefined) ?? order,
    documents: { ...documents, items },
    ...others,
  };
  return { ...orderJsonSchema, properties };
}

function Editor({ text, onEdit }: { text: string; onEdit(text: string): void }) {
  const lines = text.split('\n').length;
  return (
    <div class="lines">
      <pre aria-hidden="true">{Array.from({ length: lines }, (_, at) => at + 1).join('\n')}</pre>
      <textarea
        class="mono"
        aria-label="order.json"
        rows={lines + 1}
        wrap="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => onEdit(currentTarget.value)}
      />
    </div>
  );
}
