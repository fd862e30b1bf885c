import { emptyAt, type JSONPath, type Node, nodeAt, withTyped, withValue } from '../../../core/json/edit-json.ts';
import { messages } from '../messages/language.ts';
import { Button, Notice } from '../parts/controls.tsx';

/** What the form uses of a JSON Schema (draft 2020-12). The rest is only checked. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  format?: string;
}

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
  const schema = resolved(form, given);
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
    {membersOf(form, path, schema).map((name) => (
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
  const empty = { object: {}, array: [] }[String(typeOf(resolved(form, items)))] ?? '';
  return (
    <>
      {Array.from({ length: count }, (_, at) => (
        <div key={at} class="element">
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
  const isNumber = /number|integer/.test(String([schema.type ?? type]));
  const choices = schema.enum ?? (type === 'boolean' ? [true, false] : undefined);
  if (!choices)
    return (
      <input
        type={schema.format === 'date' ? ('date' as 'text') : 'text'}
        inputMode={isNumber ? 'decimal' : 'text'}
        value={value}
        onInput={({ currentTarget }) => form.onEdit(withTyped(form.text, path, currentTarget.value, isNumber))}
      />
    );
  const names = ['', ...choices.map(String)];
  const choose = (name: string) =>
    form.onEdit(withValue(form.text, path, name === '' ? emptyAt(path) : choices[names.indexOf(name) - 1]));
  return (
    <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {[...new Set([...names, value])].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

const sourceOf = ({ text }: FormProps, { offset, length }: Node) => text.slice(offset, offset + length);

function membersOf({ tree }: FormProps, path: JSONPath, { properties = {} }: Schema): string[] {
  const own = nodeAt(tree, path)?.children ?? [];
  const names = own.map(({ children }) => String(children?.[0]?.value));
  return [...new Set([...Object.keys(properties), ...names])].filter((name) => name !== '$schema');
}

/** The type of a value that is not there yet. */
const typeOf = ({ type, properties }: Schema) =>
  [type ?? []].flat().find((name) => name !== 'null') ?? (properties && 'object');

/** A schema with what it refers to: `#/$defs/address`. A reference of another form stays unresolved, and its field is a text. */
function resolved({ schema }: FormProps, given: Schema): Schema {
  const steps = /^#\/(.+)$/.exec(given.$ref ?? '')?.[1]?.split('/') ?? [];
  const found = steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown> | undefined)?.[step],
    schema.properties?.order,
  );
  return steps.length > 0 && typeof found === 'object' ? { ...(found as Schema), ...given } : given;
}
