import type { ErrorObject } from 'ajv';

/** The errors of each branch of a choice, with paths from the order data on. */
export type BranchesOf = (choice: ErrorObject) => ErrorObject[][];

/** Of a branch of these, the errors are what is wrong. */
const CHOICES = ['anyOf', 'oneOf'];
/** What `if` requires is an error of its own. */
const SAY_NOTHING = ['if'];

/** The errors that a person can act on: of a choice, those of the branch that was meant, or one that joins its branches. */
export function meantErrors(errors: ErrorObject[], branchesOf: BranchesOf): ErrorObject[] {
  const choices = new Map(
    errors.filter(({ keyword }) => CHOICES.includes(keyword)).map((choice) => [choice, branchesOf(choice)]),
  );
  const inside = [...choices.values()].flat(2);
  const isInside = ({ parentSchema, instancePath, keyword }: ErrorObject) =>
    inside.some(
      (one) => one.parentSchema === parentSchema && one.instancePath === instancePath && one.keyword === keyword,
    );
  return errors
    .filter((error) => !SAY_NOTHING.includes(error.keyword) && error.propertyName === undefined && !isInside(error))
    .flatMap((error) => {
      const branches = choices.get(error);
      if (!branches) return [error];
      const meant = meantBranch(error, branches);
      return meant ? meantErrors(meant, branchesOf) : [joined(error, branches)];
    });
}

/** The branch that alone is for this type of value, or whose constants alone fit, or that alone has all its properties. */
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

/** One error in the place of several branches that ask for the same thing: a type, a value, or a property. */
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
