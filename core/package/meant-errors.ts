import type { ErrorObject } from 'ajv';
import { MAX_PROBLEMS } from '../json/json-problems.ts';

/** The errors of each branch of a choice, or of each element for `contains`, with paths from the root of the order data. */
export type BranchesOf = (choice: ErrorObject) => ErrorObject[][] | undefined;

/** For these keywords, the errors of the matching branch are reported. */
const CHOICES = ['anyOf', 'oneOf'];
/** A failed `then` or `else` has its own error. */
const SAY_NOTHING = ['if'];

/** The errors that a person can act on. A choice becomes the errors of the intended branch, or one joined error. */
export function meantErrors(errors: ErrorObject[], branchesOf: BranchesOf): ErrorObject[] {
  return outerErrors(errors, branchesOf)
    .slice(0, MAX_PROBLEMS)
    .flatMap(({ error, branches }) => {
      if (!branches || !CHOICES.includes(error.keyword)) return [error];
      const meant = meantBranch(error, branches);
      return meant ? meantErrors(meant, branchesOf) : [joined(error, branches)];
    })
    .slice(0, MAX_PROBLEMS);
}

/** The errors outside any choice. Ajv lists a choice after the errors of its branches. */
function outerErrors(errors: ErrorObject[], branchesOf: BranchesOf) {
  const inside = new Map<unknown, Set<string>>();
  const nameOf = ({ keyword, instancePath }: ErrorObject) => `${keyword} ${instancePath}`;
  const outer: { error: ErrorObject; branches?: ErrorObject[][] }[] = [];
  let unread: ErrorObject | undefined;
  for (const error of errors.toReversed()) {
    if (inside.get(error.parentSchema)?.has(nameOf(error)) || (unread && isBelow(error, unread))) continue;
    const branches = [...CHOICES, 'contains'].includes(error.keyword) ? readBranches(error, branchesOf) : [];
    if (!branches) unread = error;
    for (const one of branches?.flat() ?? [])
      inside.set(one.parentSchema, (inside.get(one.parentSchema) ?? new Set()).add(nameOf(one)));
    if (!SAY_NOTHING.includes(error.keyword) && error.propertyName === undefined)
      outer.push({ error, ...(branches?.length && { branches }) });
  }
  return outer.reverse();
}

/** Undefined if a branch has no errors when it is checked alone: then the choice itself is the better error. */
function readBranches(choice: ErrorObject, branchesOf: BranchesOf): ErrorObject[][] | undefined {
  const branches = branchesOf(choice);
  const mayFit = choice.keyword === 'contains' || choice.params.passingSchemas;
  return mayFit || branches?.every((errors) => errors.length > 0) ? branches : undefined;
}

/** Whether an error is about the choice's value or something inside it, and not about a keyword beside the choice. */
function isBelow({ instancePath, parentSchema }: ErrorObject, choice: ErrorObject): boolean {
  if (instancePath === choice.instancePath) return parentSchema !== choice.parentSchema;
  return instancePath.startsWith(`${choice.instancePath}/`);
}

/** The only branch that allows this type of value, or whose constants match, or whose required properties are all present. */
function meantBranch({ instancePath, params }: ErrorObject, branches: ErrorObject[][]): ErrorObject[] | undefined {
  if (params.passingSchemas) return undefined;
  const ofType = branches.filter((errors) => !errors.some(isOfType(instancePath)));
  const isConstant = ({ keyword, instancePath: path }: ErrorObject) =>
    ['const', 'enum'].includes(keyword) && path.split('/').length === instancePath.split('/').length + 1;
  const isMissing = ({ keyword, instancePath: path }: ErrorObject) => keyword === 'required' && path === instancePath;
  const [meant, ...others] = [isConstant, isMissing].reduce((left, isOther) => {
    const fitting = left.filter((errors) => !errors.some(isOther));
    return fitting.length > 0 ? fitting : left;
  }, ofType);
  return others.length === 0 ? meant : undefined;
}

const isOfType =
  (at: string) =>
  ({ keyword, instancePath }: ErrorObject) =>
    keyword === 'type' && instancePath === at;

/** One error for several branches that require the same kind of thing: a type, a value, or a property. */
function joined(choice: ErrorObject, branches: ErrorObject[][]): ErrorObject {
  const { instancePath, params } = choice;
  if (params.passingSchemas) return choice;
  const types = branches.map((errors) => errors.find(isOfType(instancePath))?.params.type);
  if (types.every((type) => type !== undefined))
    return { ...choice, keyword: 'type', params: { type: [...new Set(types.flat())] } };
  const ofType = branches.filter((_errors, at) => types[at] === undefined);
  const each = (members: (params: ErrorObject['params']) => unknown) =>
    ofType.map(([error, ...others]) =>
      error?.instancePath === instancePath && others.length === 0 ? members(error.params) : undefined,
    );
  const values = each(({ allowedValue: one, allowedValues = one === undefined ? one : [one] }) => allowedValues);
  if (values.every((value) => value !== undefined))
    return { ...choice, keyword: 'enum', params: { allowedValues: values.flat() } };
  const missing = each(({ missingProperty }) => missingProperty);
  return missing.every((name) => name !== undefined)
    ? { ...choice, keyword: 'oneRequired', params: { missing } }
    : choice;
}
