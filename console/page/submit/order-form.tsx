import { useRef } from 'preact/hooks';
import { emptyAt, type JSONPath, type Node, nodeAt, withTyped, withValue } from '../../../core/json/edit-json.ts';
import { membersOf, resolved, type Schema, typeOf } from '../../../core/json/form-schema.ts';
import { messages } from '../messages/language.ts';
import { Button, Notice } from '../parts/controls.tsx';

export interface FormProps {
  text: string;
  tree: Node;
  /** Of the whole order.json. References begin at `order`. */
  schema: Schema;
  /** What is wrong at a place, by its steps as JSON. */
  notes: ReadonlyMap<string, string[]>;
  onEdit(text: string): void;
}

interface FieldProps {
  form: FormProps;
  path: JSONPath;
  schema: Schema;
  isRequired?: boolean | undefined;
}

/** order.json as fields: the members that the schema names, and the others that it has. What else JSON can say is typed as text. */
export const OrderForm = (form: FormProps) => (
  <div class="fields">
    <Members form={form} path={[]} schema={form.schema} />
  </div>
);

/** Steps to the deepest member that is shown before it is there: a schema may refer to itself. */
const DEEPEST = 8;

function Field({ form, path, schema: given, isRequired }: FieldProps) {
  const schema = resolved(given, form.schema);
  const node = nodeAt(form.tree, path);
  const kind = node && node.type !== 'null' ? node.type : typeOf(schema);
  const notes = form.notes.get(JSON.stringify(path)) ?? [];
  const name = path.at(-1);
  const title = schema.title ?? (typeof name === 'number' ? String(name + 1) : name);
  const Group = kind === 'array' ? Elements : Members;
  const below = notes.map((words) => <Notice key={words} words={words} />);
  if (kind === 'object' && !node && (!isRequired || path.length > DEEPEST))
    return (
      <Button
        words={messages.value.submit.addMember(String(title))}
        onClick={() => form.onEdit(withValue(form.text, path, {}))}
      />
    );
  if (kind === 'object' || kind === 'array')
    return (
      <fieldset>
        <legend>{title}</legend>
        {below}
        <Group form={form} path={path} schema={schema} />
      </fieldset>
    );
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: Input has it
    <label class="field" title={schema.description}>
      <span class={isRequired ? 'required' : ''}>{title}</span>
      <Input form={form} path={path} schema={schema} />
      {below}
    </label>
  );
}

const Members = ({ form, path, schema }: FieldProps) => (
  <>
    {membersOf(schema, nodeAt(form.tree, path)).map((name) => (
      <Field
        key={name}
        form={form}
        path={[...path, name]}
        schema={schema.properties?.[name] ?? {}}
        isRequired={schema.required?.includes(name)}
      />
    ))}
  </>
);

function Elements({ form, path, schema: { items = {} } }: FieldProps) {
  const words = messages.value.submit;
  const count = nodeAt(form.tree, path)?.children?.length ?? 0;
  const set = (at: number, value: unknown) => form.onEdit(withValue(form.text, [...path, at], value));
  const empty = { object: {}, array: [] }[String(typeOf(resolved(items, form.schema)))] ?? '';
  return (
    <>
      {Array.from({ length: count }, (_, at) => (
        <div key={`${at} of ${count}`} class="element">
          <Field form={form} path={[...path, at]} schema={items} />
          <Button words={words.remove} onClick={() => set(at, undefined)} />
        </div>
      ))}
      <Button words={words.addElement} onClick={() => set(count, empty)} />
    </>
  );
}

function Input({ form, path, schema }: FieldProps) {
  const node = nodeAt(form.tree, path);
  const type = node?.type ?? typeOf(schema);
  const value = !node || node.type === 'null' ? '' : node.type === 'string' ? String(node.value) : sourceOf(form, node);
  // Without a schema, a number stays one while it is typed, and an emptied member stays.
  const { current: first } = useRef(node?.type);
  const isNumber = /number|integer/.test(String([schema.type ?? first]));
  const isUnclear = !schema.type && isNumber && type === 'string' && value !== '';
  const empty = Object.keys(schema).length > 0 ? emptyAt(path) : isNumber ? null : '';
  const choices = schema.enum ?? (type === 'boolean' ? [true, false] : undefined);
  if (!choices)
    return (
      <>
        <input
          type={schema.format === 'date' ? ('date' as 'text') : 'text'}
          inputMode={isNumber ? 'decimal' : 'text'}
          value={value}
          onInput={({ currentTarget }) => form.onEdit(withTyped(form.text, path, currentTarget.value, isNumber, empty))}
        />
        {isUnclear && <Notice words={messages.value.submit.noNumber} />}
      </>
    );
  const names = ['', ...choices.map(String)];
  const choose = (name: string) =>
    form.onEdit(withValue(form.text, path, name === '' ? empty : choices[names.indexOf(name) - 1]));
  return (
    <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {[...new Set([...names, value])].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

const sourceOf = ({ text }: FormProps, { offset, length }: Node) => text.slice(offset, offset + length);
